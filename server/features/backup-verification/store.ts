import type { Selectable } from 'kysely'
import type { Verification } from '../../../shared/api/backup-verification.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { VerificationTable } from './tables.ts'

export const openStatuses = ['pending', 'running'] as const

export const verificationRows = () =>
  q
    .selectFrom('backup_verifications')
    .innerJoin('devices', 'devices.id', 'backup_verifications.device_id')
    .selectAll('backup_verifications')
    .select(['devices.hostname', 'devices.display_name', 'devices.site_id'])

export type VerificationRow = Selectable<VerificationTable> & {
  hostname: string
  display_name: string | null
  site_id: string
}

export const verificationById = (db: Database, id: string): VerificationRow | undefined =>
  db.first(verificationRows().where('backup_verifications.id', '=', id))

export const isOpen = ({ status }: Pick<VerificationRow, 'status'>): boolean =>
  status === 'pending' || status === 'running'

export const nameOf = ({ display_name, hostname }: VerificationRow): string => display_name ?? hostname

export const verificationView = (row: VerificationRow): Verification => ({
  id: row.id,
  orgId: row.org_id,
  deviceId: row.device_id,
  deviceName: nameOf(row),
  backupJobId: row.backup_job_id,
  snapshotId: row.snapshot_id,
  snapshotTakenAt: row.snapshot_taken_at,
  verificationType: row.verification_type,
  status: row.status,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  restoreTimeSeconds: row.restore_time_seconds,
  filesVerified: row.files_verified,
  filesFailed: row.files_failed,
  sizeBytes: row.size_bytes,
  details: {
    source: row.source,
    ranOn: row.ran_on,
    ...(row.requested_by !== null && { requestedBy: row.requested_by }),
    ...(row.dispatched_at !== null && row.ran_on === 'device' && { commandId: row.id }),
    ...(row.subset !== null && { subset: row.subset }),
    ...(row.details !== null && fromJson(row.details)),
  },
  createdAt: row.created_at,
})
