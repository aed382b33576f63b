import { storageNotAskedYet } from '../../../shared/api/backup-snapshot-protection.ts'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { day, iso } from '../../platform/clock.ts'
import type { Protection } from '../backup-policies/index.ts'
import type { SnapshotRow } from './views.ts'

const never = 'This kind of storage cannot lock objects'

/** Whether the storage in which a snapshot lies can be asked to lock it: S3, if restic has made the snapshot. */
export function canBeLocked(db: Database, at: Pick<SnapshotRow, 'config_id' | 'repository_id'>): boolean {
  if (at.repository_id === null) return false
  const s3 = q.selectFrom('backup_configs').select('id').where('id', '=', at.config_id).where('provider', '=', 's3')
  return db.first(s3) !== undefined
}

/** Columns of a snapshot that is immutable until then; milliseconds since 1970. */
export const immutableUntil = (
  until: number,
  requested: NonNullable<BackupSnapshot['immutabilityEnforcement']>,
  isLockable: boolean,
): Partial<SnapshotRow> => ({
  is_immutable: 1,
  immutable_until: iso(until),
  immutability_enforcement: 'application',
  requested_immutability_enforcement: requested,
  immutability_fallback_reason: requested === 'provider' ? (isLockable ? storageNotAskedYet : never) : null,
  awaits_object_lock: requested === 'provider' && isLockable ? 1 : 0,
})

/** Columns of a new snapshot that policies protect. */
export const protectedFrom = (
  now: number,
  { legalHold, immutability }: Protection,
  isLockable: boolean,
): Partial<SnapshotRow> => ({
  ...(legalHold && {
    legal_hold: 1,
    legal_hold_reason: legalHold.reason,
    legal_hold_source: 'policy',
    legal_hold_policy_ids: toJson(legalHold.policyIds),
  }),
  ...(immutability && immutableUntil(now + immutability.days * day, immutability.mode, isLockable)),
})
