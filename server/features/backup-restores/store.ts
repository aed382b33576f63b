import type { Selectable } from 'kysely'
import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { fromJson } from '../../lib/json.ts'
import type { RestoreJobTable } from './tables.ts'

export const openStatuses = ['pending', 'running'] as const

export const restoreRows = () =>
  q
    .selectFrom('restore_jobs')
    .innerJoin('devices', 'devices.id', 'restore_jobs.device_id')
    .selectAll('restore_jobs')
    .select(['devices.hostname', 'devices.display_name', 'devices.site_id'])

export type RestoreRow = Selectable<RestoreJobTable> & {
  hostname: string
  display_name: string | null
  site_id: string
}

export const restoreById = (db: Database, id: string): RestoreRow | undefined =>
  db.first(restoreRows().where('restore_jobs.id', '=', id))

export interface RestoreProgress {
  phase: 'preparing' | 'restoring' | 'finishing'
  current: number
  filesDone: number | undefined
  at: number
  bytesPerSecond: number | null
}

export function restoreView(row: RestoreRow, progress: RestoreProgress | undefined): RestoreJob {
  const live = row.status === 'running' ? progress : undefined
  const details = row.result === null ? null : fromJson(row.result)
  return {
    id: row.id,
    snapshotId: row.snapshot_id,
    snapshotTakenAt: row.snapshot_taken_at,
    vaultId: row.vault_id,
    deviceId: row.device_id,
    deviceName: row.display_name ?? row.hostname,
    restoreType: row.restore_type,
    selectedPaths: fromJson(row.selected_paths),
    status: row.status,
    targetPath: row.target_path,
    inPlace: row.in_place === 1,
    existing: row.existing_files,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    updatedAt: row.updated_at,
    expectedFiles: row.expected_files,
    expectedBytes: row.expected_bytes,
    restoredSize: live?.current ?? row.restored_size,
    restoredFiles: live?.filesDone ?? row.restored_files,
    commandId: row.dispatched_at === null ? null : row.id,
    errorSummary: details?.error?.split('\n')[0] ?? null,
    resultDetails: details,
    progress: live ? { phase: live.phase, bytesPerSecond: live.bytesPerSecond } : null,
  }
}
