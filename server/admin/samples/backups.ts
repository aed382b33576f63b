import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { createBackupConfig } from '../../../shared/api/backup-configs.ts'
import type { BackupJobStatus, UnreadFile } from '../../../shared/api/backup-jobs.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../../shared/api/configuration-policies.ts'
import type { BackupSelection } from '../../../shared/backup-plan.ts'
import { userFolders } from '../../../shared/device/backup-places.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Repositories } from '../../features/backup-storage/index.ts'
import type { SnapshotIndex } from '../../features/snapshot-index/index.ts'
import { toJson } from '../../lib/json.ts'
import { day, hour, iso, minute } from '../../platform/clock.ts'
import { sampleListing } from './backed-up-files.ts'
import type { Call } from './client.ts'
import type { SampleDevice } from './devices.ts'
import { hasLeft } from './presence.ts'
import { writeRestores } from './restores.ts'
import { writeVerifications } from './verifications.ts'

/** Where what devices say of backups is written. */
export interface BackupRecords {
  repositories: Repositories
  index: SnapshotIndex
}

interface Making extends BackupRecords {
  call: Call
  db: Database
  technician: string
  orgId: string
  /** Those of the organization. */
  devices: readonly SampleDevice[]
}

/** Storage, two policies, and a week of backups in each state. What devices say of backups is written directly. */
export async function addBackups(making: Making): Promise<void> {
  const { call, technician, orgId, devices } = making
  const storage = (body: object) =>
    call(
      createBackupConfig,
      { query: { orgId }, body: { name: '', provider: 'local', details: {}, ...body } },
      technician,
    )
  const appliance = await storage({ name: 'Appliance', isDefault: true })
  const offsite = await storage({
    name: 'Offsite',
    provider: 's3',
    details: {
      bucket: 'northwind-backup',
      endpoint: 'https://s3.eu-central-1.example.test',
      region: 'eu-central-1',
      accessKey: 'SAMPLE',
      secretKey: 'SAMPLE',
    },
  })
  await storage({ name: 'Old server', provider: 'rest', enabled: false, details: { url: 'http://10.0.0.9:8000/' } })
  const policy = async (
    name: string,
    inlineSettings: object,
    target: { level: 'organization' | 'device'; targetId: string },
  ) => {
    const { id } = await call(createPolicy, { body: { orgId, name } }, technician)
    const link = await call(
      addPolicyLink,
      { params: { id }, body: { featureType: 'backup', inlineSettings: { ...inlineSettings } } },
      technician,
    )
    await call(assignPolicy, { params: { id }, body: target }, technician)
    return { policyId: id, linkId: link.id }
  }
  const people = await policy(
    'People’s files',
    {
      backupMode: 'file',
      targets: { paths: [userFolders] },
      schedule: { frequency: 'daily', time: '02:30' },
      retention: { preset: 'standard' },
    },
    { level: 'organization', targetId: orgId },
  )
  const [, server] = devices
  await policy(
    'Whole servers',
    {
      backupMode: 'system_image',
      schedule: { frequency: 'weekly', time: '23:00', dayOfWeek: 6 },
      retention: { preset: 'extended', retentionDays: 365 },
      destinationConfigId: offsite.id,
    },
    { level: 'device', targetId: server?.deviceId ?? '' },
  )
  writeJobs(making, { repositories: making.repositories, configId: appliance.id, ...people })
  await writeListings(making)
  writeRestores(making.db, orgId)
  writeVerifications(making.db, orgId)
}

/** The names of the files in all snapshots of the devices that are there. */
async function writeListings({ db, index, orgId, devices }: Making): Promise<void> {
  const rows = db.all(
    q
      .selectFrom('backup_snapshots')
      .innerJoin('devices', 'devices.id', 'backup_snapshots.device_id')
      .select(['repository_id', 'snapshot_id', 'timestamp', 'device_id', 'os_type'])
      .where('backup_snapshots.org_id', '=', orgId)
      .orderBy('timestamp'),
  )
  for (const { repository_id, snapshot_id, timestamp, device_id, os_type } of rows) {
    const device = devices.find(({ deviceId }) => deviceId === device_id)
    if (repository_id === null || !device || device.n >= listedDevices) continue
    const nightsAgo = Math.floor((Date.now() - Date.parse(timestamp)) / day)
    const listing = sampleListing(snapshot_id, os_type, nightsAgo)
    await index.store(repository_id, { id: snapshot_id, time: Date.parse(timestamp) }, listing)
  }
}

/** Of the others, the files are not known. */
const listedDevices = 6

interface Sources {
  repositories: Repositories
  configId: string
  policyId: string
  linkId: string
}

interface SampleJob {
  status: BackupJobStatus
  startedMs: number | null
  tookMs?: number
  errorLog?: string
  unread?: UnreadFile[]
}

const unread: UnreadFile[] = [
  { path: '/Users/grace/Documents/Ledger.xlsx', error: 'access denied' },
  { path: '/Users/grace/Library/Mail', error: 'access denied' },
  { path: '/Users/old', error: 'does not exist' },
]

/** What became of the backup of device `n`, so many nights ago. */
function jobOf(n: number, nightsAgo: number): SampleJob {
  const startedMs = Date.now() - nightsAgo * day - 5 * hour + n * minute
  const tookMs = 4 * minute + n * 11_000
  if (hasLeft(n))
    return { status: 'failed', startedMs, tookMs, errorLog: '[stale-backup-reaper] Device went offline during backup' }
  if (n === 2) return { status: 'partial', startedMs, tookMs, unread, errorLog: '3 files or folders could not be read' }
  if (n === 5 && nightsAgo === 0)
    return { status: 'failed', startedMs, tookMs: 9_000, errorLog: 'Backup engine not available on this device' }
  if (n === 8 && nightsAgo === 1) return { status: 'cancelled', startedMs, tookMs, errorLog: 'Cancelled by user' }
  return { status: 'completed', startedMs, tookMs }
}

function writeJobs({ db, orgId, devices }: Making, sources: Sources): void {
  db.transaction(() => {
    for (const { deviceId, n } of devices)
      for (let nightsAgo = 6; nightsAgo >= 0; nightsAgo--)
        writeJob(db, orgId, deviceId, n, sources, jobOf(n, nightsAgo))
    const [first, second, third] = devices
    const now = Date.now()
    for (const [device, job] of [
      [first, { status: 'running', startedMs: now - 3 * minute }],
      [second, { status: 'running', startedMs: now - minute }],
      [third, { status: 'pending', startedMs: null }],
    ] as const)
      if (device) writeJob(db, orgId, device.deviceId, device.n, sources, job)
  })
}

const selection: BackupSelection = { mode: 'file', targets: { paths: [userFolders] } }

/** How much there is on device `n`, and how much of it was seen. */
function amountsOf(n: number, status: BackupJobStatus) {
  const size = (4 + (n % 5)) * 1_700_000_000
  const files = 18_000 + n * 731
  if (status === 'completed' || status === 'partial')
    return { total_size: size, transferred_size: size, file_count: files, total_files: files }
  if (status !== 'running') return {}
  const part = n === 0 ? 0.62 : 0.17
  return {
    total_size: size,
    transferred_size: Math.round(size * part),
    file_count: Math.round(files * part),
    total_files: files,
    last_progress_at: iso(Date.now()),
  }
}

function writeJob(db: Database, orgId: string, deviceId: string, n: number, sources: Sources, job: SampleJob): void {
  const { status, startedMs, tookMs, errorLog = null, unread: files } = job
  const createdAt = iso(startedMs ?? Date.now())
  const startedAt = startedMs === null ? null : createdAt
  const completedAt = startedMs === null || tookMs === undefined ? null : iso(startedMs + tookMs)
  const row = {
    id: randomUUIDv7(),
    org_id: orgId,
    device_id: deviceId,
    config_id: sources.configId,
    backup_mode: 'file' as const,
    snapshot_id: status === 'completed' || status === 'partial' ? randomBytes(32).toString('hex') : null,
    created_at: createdAt,
    updated_at: completedAt ?? createdAt,
  }
  const amounts = amountsOf(n, status)
  db.run(
    q.insertInto('backup_jobs').values({
      ...row,
      ...amounts,
      policy_id: sources.policyId,
      feature_link_id: sources.linkId,
      status,
      type: completedAt === null ? 'manual' : 'scheduled',
      selection: toJson(selection),
      dispatched_at: startedAt,
      started_at: startedAt,
      completed_at: completedAt,
      error_count: files?.length ?? null,
      error_log: errorLog,
      failed_files: files ? toJson(files) : null,
    }),
  )
  const { id: job_id, snapshot_id, org_id, device_id, config_id, backup_mode } = row
  const { repositories, configId } = sources
  if (snapshot_id === null || completedAt === null) return
  db.run(
    q.insertInto('backup_snapshots').values({
      ...{ org_id, device_id, config_id, job_id, snapshot_id, backup_mode },
      id: randomUUIDv7(),
      repository_id: repositories.ensure({ orgId, configId, deviceId }).id,
      timestamp: completedAt,
      size: amounts.total_size ?? 0,
      file_count: amounts.file_count ?? 0,
      label: `Backup ${completedAt.slice(0, 10)}`,
      backup_type: 'file',
      gfs_tags: toJson(['daily']),
      expires_at: iso(Date.parse(completedAt) + 7 * day),
      ...(n === 2 && { legal_hold: 1, legal_hold_reason: 'Lawsuit Harbour', legal_hold_source: 'manual' as const }),
      created_at: completedAt,
      updated_at: completedAt,
    }),
  )
}
