import type { BackupStoreUsage } from '../../../shared/api/backup-quotas.ts'
import { bytes } from '../../lib/format.ts'

export const spaceUsed = ({ usedBytes, quotaBytes }: BackupStoreUsage): string =>
  quotaBytes === null ? `${bytes(usedBytes)} used, no quota` : `${bytes(usedBytes)} of ${bytes(quotaBytes)} used`

export const spaceFree = ({ freeBytes }: BackupStoreUsage): string =>
  `${bytes(freeBytes)} free on the appliance’s disk, shared by all organizations`

interface Fullness {
  /** Of the quota; null without one. */
  percent: number | null
  tone: 'good' | 'warning' | 'bad'
  warning: string | null
}

const nearly = 0.9
const gigabyte = 1024 ** 3

export function fullness({ usedBytes, quotaBytes, freeBytes }: BackupStoreUsage): Fullness {
  const share = quotaBytes === null ? 0 : quotaBytes === 0 ? 1 : usedBytes / quotaBytes
  const percent = quotaBytes === null ? null : Math.min(100, share * 100)
  if (share >= 1) return { percent, tone: 'bad', warning: 'The quota is used up: new backups fail.' }
  if (freeBytes === 0) return { percent, tone: 'bad', warning: 'The appliance’s disk is full: new backups fail.' }
  if (share >= nearly) return { percent, tone: 'warning', warning: 'The quota is almost used up.' }
  if (freeBytes < 10 * gigabyte) return { percent, tone: 'warning', warning: 'The appliance’s disk is almost full.' }
  return { percent, tone: 'good', warning: null }
}
