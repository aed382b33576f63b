import { join } from 'node:path'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { SnapshotIndex } from './snapshot-index.ts'

export function createSnapshotIndex({ config, log }: Pick<Services, 'config' | 'log'>): Module<SnapshotIndex> {
  const index = new SnapshotIndex(join(config.dataDir, 'backup-index'))
  return {
    api: index,
    start: () => void index.removeLeftovers().catch((err) => log.error({ err }, 'Unread listings are left over')),
    stop: () => index.stop(),
  }
}
