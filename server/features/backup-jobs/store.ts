import type { Selectable } from 'kysely'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type JobProgress, progressView } from './progress.ts'
import type { BackupJobTable } from './tables.ts'

export const openStatuses = ['pending', 'running'] as const

/** The reaper’s failures, which a late result may still turn into what really happened. */
export const staleMark = '[stale-backup-reaper] '

export const jobRows = () =>
  q
    .selectFrom('backup_jobs')
    .innerJoin('devices', 'devices.id', 'backup_jobs.device_id')
    .leftJoin('backup_configs', 'backup_configs.id', 'backup_jobs.config_id')
    .leftJoin('backup_snapshots', 'backup_snapshots.job_id', 'backup_jobs.id')
    .selectAll('backup_jobs')
    .select([
      'devices.hostname',
      'devices.display_name',
      'devices.site_id',
      'devices.os_type',
      'devices.backup_version',
      'backup_configs.name as config_name',
      'backup_snapshots.id as snapshot_row_id',
    ])

export type JobRow = Selectable<BackupJobTable> & {
  hostname: string
  display_name: string | null
  site_id: string
  os_type: string
  backup_version: string | null
  config_name: string | null
  snapshot_row_id: string | null
}

export const jobById = (db: Database, id: string): JobRow | undefined =>
  db.first(jobRows().where('backup_jobs.id', '=', id))

export function jobView(row: JobRow, progress: JobProgress | undefined): BackupJob {
  const live = row.status === 'running' ? progress : undefined
  return {
    id: row.id,
    type: row.type,
    deviceId: row.device_id,
    deviceName: row.display_name ?? row.hostname,
    configId: row.config_id,
    configName: row.config_name,
    policyId: row.policy_id,
    featureLinkId: row.feature_link_id,
    snapshotId: row.snapshot_id,
    snapshotRowId: row.snapshot_row_id,
    backupMode: row.backup_mode,
    status: row.status,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    totalSize: (live?.total || undefined) ?? row.total_size,
    transferredSize: live?.current ?? row.transferred_size,
    fileCount: live?.filesDone ?? row.file_count,
    totalFiles: live?.filesTotal ?? row.total_files,
    lastProgressAt: live ? new Date(live.at).toISOString() : row.last_progress_at,
    referencedSize: row.referenced_size,
    referencedFiles: row.referenced_files,
    errorCount: row.error_count,
    errorLog: row.error_log,
    progress: live ? progressView(live) : null,
  }
}
