import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { makeQuickRepository, quickPassword } from '../../agent/testing/quick-repository.ts'
import { restic, scratchFolder } from '../../agent/testing/restic.ts'
import type { Database } from '../../server/db/database.ts'
import { ManagedKeys } from '../../server/features/backup-storage/managed-keys.ts'
import { Repositories, type RepositoryOwner } from '../../server/features/backup-storage/repositories.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import { cancelBackupJob, readBackupJob, runBackup } from '../../shared/api/backup-jobs.ts'
import { createRestore, readRestore } from '../../shared/api/backup-restores.ts'
import { addPolicyLink, assignPolicy, createPolicy } from '../../shared/api/configuration-policies.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { eventually } from '../helpers/eventually.ts'
import { type RealProcess, startAgentProcess, startCommand } from '../helpers/real-appliance.ts'
import { call, type KillableAppliance, killableAppliance, setUp, showFactor } from '../kill/scene.ts'

interface Wish {
  /** A policy limits uploads, so that a backup takes a while. */
  limitMbps?: number
  /** Where the agent finds the appliance, if there is something in between. */
  through?: (origin: string) => Promise<string>
  /** Made anew for each test, unless it is given. */
  appliance?: KillableAppliance
  environment?: Record<string, string>
  /** Restic makes the repository with the first backup, as it does outside of tests; it takes its time for each command. */
  isRepositoryNew?: true
}

type Look = <T>(question: (db: Database) => T) => T

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
  const config = await call(
    origin,
    createBackupConfig,
    { body: { enabled: true, encryption: false, ...stores } },
    token,
  )
  const policy = await call(origin, createPolicy, { body: { name: 'Work', orgId: org.id } }, token)
  const limit = wish.limitMbps === undefined ? {} : { bandwidthLimitMbps: wish.limitMbps }
  const inlineSettings = { backupMode: 'file', targets: { paths: [source] }, ...limit }
  await call(origin, addPolicyLink, { params: policy, body: { featureType: 'backup', inlineSettings } }, token)
  await call(origin, assignPolicy, { params: policy, body: { level: 'organization', targetId: org.id } }, token)

  const serverUrl = (await wish.through?.(origin)) ?? origin
  const device = await enrolledDevice(serverUrl, key.key, join(folder, 'state'), wish.environment)
  const look: Look = (question) => {
    const db = appliance.openDatabase()
    try {
      return question(db)
    } finally {
      db.close()
    }
  }
  if (!wish.isRepositoryNew)
    look((db) => giveQuickRepository(db, dataDir, { orgId: org.id, configId: config.id, deviceId: device.id }))
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
        .statement<{ id: string; key_id: string; sub_path: string }>(
          'SELECT id, key_id, sub_path FROM backup_repositories WHERE device_id = ?',
        )
        .get(deviceId)
      if (!row) throw new Error('There is no repository')
      const password = repositoriesIn(db, dataDir).repositories.passwordOf(row)
      return { id: row.id, keyId: row.key_id, password, folder: join(dataDir, 'backups', row.id) }
    })

  const job = (id: string) => call(origin, readBackupJob, { params: { id } }, token)
  /** What each job has to bring back, if it made a snapshot. */
  const backedUp = new Map<string, Record<string, string>>()
  const jobs = {
    run: async () => {
      const { id } = await call(origin, runBackup, { params: { deviceId: device.id } }, token)
      backedUp.set(id, hashesOf(source))
      return id
    },
    job,
    cancel: (id: string) => call(origin, cancelBackupJob, { params: { id } }, token),
    /** The job, once it has ended. */
    ended: async (id: string, timeout = 60_000) => {
      await expect.poll(async () => (await job(id)).status, { timeout }).not.toMatch(/pending|running/)
      return job(id)
    },
  }
  const restored = async (body: object) => {
    const asked = await call(origin, createRestore, { body } as never, token)
    return eventually(async () => {
      const { data } = await call(origin, readRestore, { params: { id: asked.id } }, token)
      expect(['pending', 'running']).not.toContain(data.status)
      return data
    })
  }

  const snapshots = () =>
    look((db) =>
      db
        .statement<{ id: string; job: string }>(
          'SELECT snapshot_id AS id, job_id AS job FROM backup_snapshots WHERE device_id = ?',
        )
        .all(device.id),
    )
  /** The files of a snapshot as restic brings them back. */
  const contentOf = async (snapshotId: string) => {
    const { folder: place, password } = repository()
    const target = scratchFolder()
    await restic(place, password).ok('restore', snapshotId, '--target', target)
    const content = hashesOf(join(target, source))
    rmSync(target, { recursive: true, force: true })
    return content
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
    assertTruth: () =>
      eventually(() => assertTruth({ look, known: snapshots(), repository: repository(), deviceId: device.id })),
    snapshots,
    /** Every snapshot that the appliance knows holds what was there when it was made, byte for byte. */
    assertAllRestore: async () => {
      const all = snapshots()
      for (const { id, job } of all) expect(await contentOf(id), job).toEqual(backedUp.get(job))
      return all.length
    },
  }
}

export type BackupScene = Awaited<ReturnType<typeof backupScene>>

const nobody = 65534

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
  const started = (agent: RealProcess): RealProcess => {
    onTestFinished(() => agent.stop('SIGKILL'))
    return agent
  }
  const run = ['run', '--state-dir', stateDir]
  const start = () => started(startAgentProcess(run, environment))
  /** As a user to whom nothing belongs but the state of the agent. */
  const startAsNobody = () => {
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, stateDir])
    const user = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', process.execPath]
    const program = 'dist/agent/homeport-agent.mjs'
    return started(startCommand('setpriv', [...user, program, ...run], { ...environment, HOME: stateDir }))
  }
  /** Resolves when no restic of the agent runs any more: one whose agent was killed notices within seconds. */
  const isQuiet = async () => {
    const seen = new Set<string>()
    await eventually(() => {
      for (const pid of resticsOf(stateDir)) seen.add(pid)
      expect([...seen].filter((pid) => existsSync(join('/proc', pid)))).toEqual([])
    })
  }
  return { id, stateDir, start, startAsNobody, isQuiet }
}

/** Processes of restic that an agent has started; a dead one that nobody has taken notice of says no more whose it was. */
const resticsOf = (stateDir: string): string[] =>
  readdirSync('/proc').filter((name) => {
    try {
      if (!/^\d+$/.test(name)) return false
      const isDead = readFileSync(`/proc/${name}/stat`, 'utf8').includes('(restic) Z')
      return isDead || readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(join(stateDir, 'restic-cache'))
    } catch {
      return false // It has ended.
    }
  })

function incomingBytes(dataDir: string): number {
  const folder = join(dataDir, 'backups', '.incoming')
  try {
    return readdirSync(folder).reduce((sum, name) => sum + (sizeOf(join(folder, name)) ?? 0), 0)
  } catch {
    return 0
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size

function repositoriesIn(db: Database, dataDir: string) {
  const keys = new ManagedKeys({ db, clock: systemClock, secrets: openSecrets(dataDir) })
  return { keys, repositories: new Repositories({ db, clock: systemClock, keys }) }
}

/** Its key takes no time to derive from the password. */
function giveQuickRepository(db: Database, dataDir: string, owner: RepositoryOwner): void {
  const { keys, repositories } = repositoriesIn(db, dataDir)
  db.transaction(() => {
    const { id, key_id } = repositories.ensure(owner)
    db.statement('UPDATE storage_encryption_keys SET encrypted_private_key = ? WHERE id = ?').run(
      keys.seal(key_id, quickPassword),
      key_id,
    )
    repositories.setState(id, 'ready')
    makeQuickRepository(join(dataDir, 'backups', id))
  })
}

interface Truth {
  look: Look
  known: { id: string; job: string }[]
  repository: { folder: string; password: string }
  deviceId: string
}

/** What the appliance says of backups is what its storage holds: each snapshot is known, and each that is known is there. */
async function assertTruth({ look, known, repository: { folder, password }, deviceId }: Truth): Promise<void> {
  const said = (await restic(folder, password).ok('snapshots', '--json', '--no-lock')).trim()
  const there = (JSON.parse(said) as { id: string; tags?: string[] }[]).map(({ id, tags = [] }) => ({
    id,
    job: tags.find((tag) => tag.startsWith('job:'))?.slice('job:'.length),
  }))
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
      // A name that is no UTF-8 is not found by what it is shown as.
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (!found) return []
      if (found.isSymbolicLink()) return [[name, `-> ${readlinkSync(path)}`]]
      if (!found.isFile()) return []
      return [[name, createHash('sha256').update(readFileSync(path)).digest('hex')]]
    }),
  )
}
