import { fork } from 'node:child_process'
import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import type { Database } from '../server/db/database.ts'
import { q } from '../server/db/query.ts'
import { storePath } from '../server/features/backup-store/index.ts'
import { sha256 } from '../server/platform/secrets.ts'
import { readGauges } from './fleet.ts'
import { type MeanwhileReport, measureMeanwhile, prepareLarge } from './meanwhile.ts'
import type { World } from './world.ts'

export interface UploadsReport extends MeanwhileReport {
  uploaded: number
  /** The most of each half, bytes: what grows without an end is more in the second one. */
  memory: { before: number; halves: [number, number] }
}

const agents = 50
const packsOfEach = 12
const packBytes = 16 * 1024 ** 2
const secret = 'a secret of the bench'

/** A repository with a credential for each of the first devices. Before the server starts. */
export const prepareUploads = (databaseFile: string): void =>
  prepareLarge(databaseFile, (db) => {
    const devices = db.all(q.selectFrom('devices').select(['id', 'org_id']).orderBy('seq').limit(agents))
    for (const [n, { id, org_id }] of devices.entries()) makeRepository(db, n, id, org_id)
  })

const idOf = (n: number, kind: number): string =>
  `00000000-0000-7000-8000-${String(kind).padStart(4, '0')}${String(n).padStart(8, '0')}`

function makeRepository(db: Database, n: number, deviceId: string, orgId: string): void {
  const now = new Date().toISOString()
  const stamps = { created_at: now, updated_at: now }
  const [key, config, repository] = [randomUUIDv7(), randomUUIDv7(), idOf(n, 1)]
  db.run(
    q
      .insertInto('storage_encryption_keys')
      .values({ id: key, org_id: orgId, name: 'Bench', encrypted_private_key: '', key_hash: '', ...stamps }),
  )
  db.run(
    q
      .insertInto('backup_configs')
      .values({ id: config, org_id: orgId, name: 'Bench', provider: 'local', provider_config: '', ...stamps }),
  )
  const row = { id: repository, org_id: orgId, config_id: config, device_id: deviceId, sub_path: '', key_id: key }
  db.run(q.insertInto('backup_repositories').values({ ...row, ...stamps }))
  db.run(
    q.insertInto('backup_store_credentials').values({
      ...{ id: idOf(n, 2), repository_id: repository, command_id: idOf(n, 3), mode: 'append' as const },
      ...{ secret_hash: sha256(secret), created_at: now, expires_at: new Date(Date.now() + 86_400_000).toISOString() },
    }),
  )
}

/** Packs as restic makes them, from all agents at once, while all others go on as usual. */
export async function measureUploads(world: World): Promise<UploadsReport> {
  const memoryOf = async () => (await readGauges(world))('process_resident_memory_bytes')
  const before = await memoryOf()
  const memory: number[] = []
  const uploader = fork(import.meta.filename, [world.origin])
  await once(uploader, 'message')
  let isOver = false
  uploader.once('exit', (code) => {
    if (code !== 0) throw new Error(`The uploads ended with ${code}`)
    isOver = true
  })
  const report = await measureMeanwhile(
    world,
    async () => void uploader.send('go'),
    async () => {
      memory.push(await memoryOf())
      return isOver ? null : String(memory.length)
    },
  )
  const half = memory.length / 2
  const halves = [memory.slice(0, half), memory.slice(half)].map((some) => Math.max(...some)) as [number, number]
  return { ...report, uploaded: agents * packsOfEach * packBytes, memory: { before, halves } }
}

interface Pack {
  name: string
  content: Uint8Array<ArrayBuffer>
}

/** Each agent has a repository of its own, so that all may send the same. */
const makePack = (): Pack => {
  const content = new Uint8Array(randomBytes(packBytes))
  return { name: createHash('sha256').update(content).digest('hex'), content }
}

async function upload(origin: string, n: number, { name, content }: Pack): Promise<void> {
  const reply = await fetch(`${origin}${storePath(idOf(n, 1))}data/${name}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${idOf(n, 2)}:${secret}`)}` },
    body: content,
  })
  if (reply.status !== 200) throw new Error(`An upload was answered ${reply.status}: ${await reply.text()}`)
}

/** As a process of its own: what sends must not hold up what measures. */
if (process.argv[1] === import.meta.filename) {
  const [, , origin = ''] = process.argv
  const packs = Array.from({ length: packsOfEach }, makePack)
  setPriority(10)
  process.send?.('ready')
  await once(process, 'message')
  await Promise.all(
    Array.from({ length: agents }, async (_, n) => {
      for (const pack of packs) await upload(origin, n, pack)
    }),
  )
  process.disconnect()
}
