import { randomUUIDv7 } from 'node:crypto'
import type { RestoreDetails, RestoreStatus } from '../../../shared/api/backup-restores.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import { hour, iso, minute } from '../../platform/clock.ts'

const homes: Record<string, string> = { windows: 'C:/Users/grace', macos: '/Users/grace', linux: '/home/grace' }

interface SampleRestore {
  /** Below the folder of the user; empty for everything. */
  selected: string[]
  hoursAgo: number
  status: RestoreStatus
  isInPlace: boolean
  files: number
  bytes: number
  details: (home: string) => RestoreDetails
}

const restores: SampleRestore[] = [
  {
    selected: ['Documents/Offer Harbour Logistics.docx'],
    hoursAgo: 3,
    status: 'completed',
    isInPlace: true,
    files: 1,
    bytes: 84_200,
    details: () => ({ filesRestored: 1, bytesRestored: 84_200, filesFailed: 0 }),
  },
  {
    selected: ['Documents'],
    hoursAgo: 27,
    status: 'partial',
    isInPlace: true,
    files: 9,
    bytes: 7_504_000,
    details: (home) => ({
      filesRestored: 7,
      bytesRestored: 7_021_000,
      filesKept: 1,
      filesRenamed: 1,
      filesFailed: 1,
      failedFiles: [{ path: `${home}/Documents/Travel/Itinerary Lisbon.pdf`, error: 'access denied' }],
      renamedFiles: [
        { path: `${home}/Documents/Ledger.xlsx`, as: `${home}/Documents/Ledger (restored 2026-11-23).xlsx` },
      ],
    }),
  },
  {
    selected: [],
    hoursAgo: 51,
    status: 'failed',
    isInPlace: false,
    files: 1214,
    bytes: 4_620_000_000,
    details: () => ({ filesRestored: 0, filesFailed: 0, error: 'There is not enough free space there' }),
  },
]

/** Files that were brought back to devices, with good and with less good luck. */
export function writeRestores(db: Database, orgId: string): void {
  const snapshots = db.all(
    q
      .selectFrom('backup_snapshots')
      .innerJoin('devices', 'devices.id', 'backup_snapshots.device_id')
      .select(['backup_snapshots.id', 'backup_snapshots.timestamp', 'device_id', 'os_type'])
      .where('backup_snapshots.org_id', '=', orgId)
      .orderBy('timestamp')
      .limit(restores.length),
  )
  for (const [n, { id, timestamp, device_id, os_type }] of snapshots.entries()) {
    const { selected, hoursAgo, status, isInPlace, files, bytes, details } = restores[n] as SampleRestore
    const home = homes[os_type] ?? '/home/grace'
    const startedMs = Date.now() - hoursAgo * hour
    const [startedAt, completedAt] = [iso(startedMs), iso(startedMs + minute)]
    const result = details(home)
    db.run(
      q.insertInto('restore_jobs').values({
        ...{ id: randomUUIDv7(), org_id: orgId, device_id, snapshot_id: id, snapshot_taken_at: timestamp },
        status,
        in_place: isInPlace ? 1 : 0,
        restore_type: selected.length > 0 ? 'selective' : 'full',
        selected_paths: toJson(selected.map((path) => `${home}/${path}`)),
        existing_files: 'rename',
        expected_files: files,
        expected_bytes: bytes,
        restored_files: result.filesRestored ?? null,
        restored_size: result.bytesRestored ?? null,
        result: toJson(result),
        initiated_by: null,
        dispatched_at: startedAt,
        started_at: startedAt,
        completed_at: completedAt,
        last_progress_at: completedAt,
        created_at: startedAt,
        updated_at: completedAt,
      }),
    )
  }
}
