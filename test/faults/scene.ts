import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import type { Database } from '../../server/db/database.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { cancelBackupJob, readBackupJob, runBackup } from '../../shared/api/backup-jobs.ts'
import { createRestore, readRestore } from '../../shared/api/backup-restores.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { eventually } from '../helpers/eventually.ts'
import { type RealProcess, startAgentProcess } from '../helpers/real-appliance.ts'
import { call, type KillableAppliance, killableAppliance, setUp, showFactor } from '../kill/scene.ts'

interface Wish {
  /** A policy limits uploads, so that a backup takes a while. */
  limitMbps?: number
  /** Where the agent finds the appliance, if there is something in between. */
  through?: (origin: string) => Promise<string>
  /** Made anew for each test, unless it is given. */
  appliance?: KillableAppliance
  environment?: Record<string, string>
}

const megabyte = 1024 * 1024

/** The appliance and a device with files, each a process of its own, and a policy that protects the files. */
export async function backupScene(wish: Wish = {}) {
  const appliance = wish.appliance ?? (await killableAppliance())
  const { origin, dataDir } = appliance
  const { token, org, key } = await setUp(appliance)
  await showFactor(appliance, token)
  const folder = scratchFolder()
  const source = join(folder, 'work')
  mkdirSync(source)
  writeFileSync(join(source, 'notes.txt'), 'notes')
  const stores = { name: 'Appliance', provider: 'local', isDefault: true, details: {} } as const
  const config = await call(origin, createBackupConfig, { body: { enabled: true, encryption: false, ...stores } }, token)
  const policy = await call(origin, createPolicy, { body: { name: 'Work', orgId: org.id } }, token)
  const limit = wish.limitMbps === undefined ? {} : { bandwidthLimitMbps: wish.limitMbps }
  const inlineSettings = { backupMode: 'file', targets: { paths: [source] }, ...limit }
  await call(origin, addPolicyLink, { params: policy, body: { featureType: 'backup', inlineSettings } }, token)
  await call(origin, assignPolicy, { params: policy, body: { level: 'organization', targetId: org.id } }, token)

  const serverUrl = (await wish.through?.(origin)) ?? origin
  const device = await enrolledDevice(serverUrl, key.key, join(folder, 'state'), wish.environment)
  const look = <T>(question: (db: Database) => T): T => {
    const db = appliance.openDatabase()
    try {
      return question(db)
    } finally {
      db.close()
    }
  }
  const isReady = (deviceId: string) =>
    eventually(async () => {
      const { status, isConnected } = await call(origin, readDevice, { params: { id: deviceId } }, token)
      expect({ status, isConnected }).toEqual({ status: 'online', isConnected: true })
      const version = (db: Database) =>
        db.statement<string>('SELECT backup_version FROM devices WHERE id = ?').pluck().get(deviceId)
      expect(look(version)).toMatch(/^restic\//)
    })
  const repository = (deviceId: string = device.id) =>
    look((db) => {
      const row = db
        .statement<{ id: string; key_id: string }>('SELECT id, key_id FROM backup_repositories WHERE device_id = ?')
        .get(deviceId)
      if (!row) throw new Error('There is no repository')
      const sealed = db
        .statement<string>('SELECT encrypted_private_key FROM storage_encryption_keys WHERE id = ?')
        .pluck()
        .get(row.key_id)
      const context = `storage_encryption_keys:encrypted_private_key:${row.key_id}`
      const password = openSecrets(dataDir).decrypt(String(sealed), context)
      return { id: row.id, keyId: row.key_id, password, folder: join(dataDir, 'backups', row.id) }
    })

  const job = (id: string) => call(origin, readBackupJob, { params: { id } }, token)
  const jobs = {
    run: async (deviceId: string = device.id) => (await call(origin, runBackup, { params: { deviceId } }, token)).id,
    job,
    cancel: (id: string) => call(origin, cancelBackupJob, { params: { id } }, token),
    /** The job, once it has ended. */
    ended: (id: string) =>
      eventually(async () => {
        const now = await job(id)
        expect(['pending', 'running']).not.toContain(now.status)
        return now
      }),
  }
  const restored = async (body: object) => {
    const asked = await call(origin, createRestore, { body } as never, token)
    return eventually(async () => {
      const { data } = await call(origin, readRestore, { params: { id: asked.id } }, token)
      expect(['pending', 'running']).not.toContain(data.status)
      return data
    })
  }

  return {
    appliance,
    origin,
    token,
    org,
    key,
    config,
    folder,
    source,
    device,
    look,
    isReady,
    repository,
    restored,
    ...jobs,
    /** Something to upload that restic cannot make smaller, and that takes several packs. */
    addFiles: (name: string, megabytes = 24) => writeFileSync(join(source, name), randomBytes(megabytes * megabyte)),
    /** Resolves while an upload is on its way. */
    isUploading: () => eventually(() => expect(incomingBytes(dataDir)).toBeGreaterThan(64 * 1024)),
    /** As {@link assertTruth}, for the repository of the device. */
    assertTruth: (options: { isSoon?: boolean } = {}) =>
      eventually(() => assertTruth({ look, repository: repository(), deviceId: device.id })).catch((error) => {
        throw Object.assign(error as Error, options)
      }),
    /** The files of a snapshot as restic brings them back, next to what they should be. */
    contentOf: async (snapshotId: string) => {
      const { folder: place, password } = repository()
      const target = scratchFolder()
      await restic(place, password).ok('restore', snapshotId, '--target', target)
      const content = hashesOf(join(target, source))
      rmSync(target, { recursive: true, force: true })
      return content
    },
  }
}

export type BackupScene = Awaited<ReturnType<typeof backupScene>>

/** A device that was enrolled, whose agent is started and ended at will. */
export async function enrolledDevice(
  serverUrl: string,
  key: string,
  stateDir: string,
  environment: Record<string, string> = {},
) {
  const enrolling = startAgentProcess(['enroll', key, '--server', serverUrl, '--state-dir', stateDir], environment)
  const [, id = ''] = /as device (\S+)\./.exec(await enrolling.saying(/as device \S+\./)) ?? []
  await enrolling.stop()
  const start = (): RealProcess => {
    const agent = startAgentProcess(['run', '--state-dir', stateDir], environment)
    onTestFinished(() => agent.stop('SIGKILL'))
    return agent
  }
  return { id, stateDir, start }
}

function incomingBytes(dataDir: string): number {
  const folder = join(dataDir, 'backups', '.incoming')
  try {
    return readdirSync(folder).reduce((sum, name) => sum + (sizeOf(join(folder, name)) ?? 0), 0)
  } catch {
    return 0
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size

interface Truth {
  look: BackupScene['look']
  repository: { folder: string; password: string }
  deviceId: string
}

/** What the appliance says of backups is what its storage holds: each snapshot is known, and each that is known is there. */
async function assertTruth({ look, repository: { folder, password }, deviceId }: Truth): Promise<void> {
  const said = (await restic(folder, password).ok('snapshots', '--json', '--no-lock')).trim()
  const there = (JSON.parse(said) as { id: string; tags?: string[] }[]).map(({ id, tags = [] }) => ({
    id,
    job: tags.find((tag) => tag.startsWith('job:'))?.slice('job:'.length),
  }))
  const known = look((db) =>
    db
      .statement<{ id: string; job: string }>(
        'SELECT snapshot_id AS id, job_id AS job FROM backup_snapshots WHERE device_id = ? ORDER BY timestamp, id',
      )
      .all(deviceId),
  )
  expect(byId(known)).toEqual(byId(there))
  const jobs = look((db) =>
    db
      .statement<{ id: string; status: string; snapshot_id: string | null; completed_at: string | null }>(
        'SELECT id, status, snapshot_id, completed_at FROM backup_jobs WHERE device_id = ?',
      )
      .all(deviceId),
  )
  for (const { id, status, snapshot_id, completed_at } of jobs) {
    expect(['completed', 'partial', 'failed', 'cancelled'], id).toContain(status)
    expect(completed_at, id).not.toBeNull()
    if (status === 'completed' || status === 'partial') expect(there).toContainEqual({ id: snapshot_id, job: id })
  }
  // Nobody works with the repository any more, so nobody may.
  expect(look((db) => db.statement('SELECT count(*) FROM backup_store_credentials').pluck().get())).toBe(0)
}

const byId = <T extends { id: string }>(all: readonly T[]): T[] => [...all].sort((a, b) => (a.id < b.id ? -1 : 1))

/** Hash of each file below a folder, and where each link leads. */
export function hashesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    names.flatMap((name) => {
      const path = join(folder, name)
      const found = lstatSync(path)
      if (found.isSymbolicLink()) return [[name, `-> ${readlinkSync(path)}`]]
      if (!found.isFile()) return []
      return [[name, createHash('sha256').update(readFileSync(path)).digest('hex')]]
    }),
  )
}
