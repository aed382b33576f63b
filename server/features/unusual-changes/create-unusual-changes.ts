import * as contract from '../../../shared/api/unusual-changes.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Attention } from '../backup-attention/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { BackupJobServices } from '../backup-jobs/index.ts'
import type { FileListings } from '../backup-snapshots/index.ts'
import type { SnapshotIndex } from '../snapshot-index/index.ts'
import { ChangeChecks } from './change-checks.ts'
import { UnusualChanges } from './unusual-changes.ts'

interface UnusualChangeDependencies extends Pick<BackupJobServices, 'made'> {
  attention: Attention
  index: SnapshotIndex
  listings: FileListings
  restic: ApplianceRestic
}

/** Changes from one backup to another that look like an attack, and what somebody says of them. */
export function createUnusualChanges(
  services: Services,
  { made, ...dependencies }: UnusualChangeDependencies,
): Module<null> {
  const changes = new UnusualChanges({ ...services, ...dependencies })
  const checks = new ChangeChecks({ ...services, ...dependencies })
  made.on((snapshot) => checks.checkSoon(snapshot))
  return {
    api: null,
    routes: (http) => {
      http.user(contract.listUnusualChanges, ({ actor, query }) => changes.list(actor, query))
      http.user(contract.decideUnusualChange, ({ actor, params, body }) => ({
        data: changes.decide(actor, params.id, body),
      }))
    },
  }
}
