import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { median, oneByOne, type Target } from './load.ts'
import { databaseName, signIn, startHomeport } from './processes.ts'
import { grow, newDatabase } from './seed.ts'

/** Milliseconds of one list at each size. */
export interface Curve {
  name: string
  times: number[]
}

export const sizes = [100, 1000, 10_000, 100_000] as const
const rounds = 5
const requestsARound = 40

interface Box {
  origin: string
  headers: { authorization: string }
}

/** The same lists in appliances of growing size, in turns: as many organizations as devices. */
export async function measureFlatness(folder: string): Promise<Curve[]> {
  await seedSizes(folder)
  await using stack = new AsyncDisposableStack()
  const boxes: Box[] = []
  for (const size of sizes) {
    const { origin } = stack.use(await startHomeport(folderOf(folder, size)))
    boxes.push({ origin, headers: { authorization: `Bearer ${await signIn(origin)}` } })
  }
  const devices = '/api/v1/devices?page=1&limit=50'
  const organizations = '/api/v1/orgs/organizations?page=1&limit=50'
  return [
    await reading('Organizations', boxes, organizations),
    await reading('Devices', boxes, devices),
    await reading('Devices by hostname', boxes, `${devices}&sort=hostname`),
    await reading('Devices, one status and system', boxes, `${devices}&status=online&osType=windows`),
    await reading('Devices, search with 1 match', boxes, `${devices}&search=000042`),
    await reading('Devices, search with many', boxes, `${devices}&search=desktop`),
    await afterWrite('Devices, first after a write', boxes, devices, async (box) => {
      const { data } = await get<{ data: { id: string }[] }>(box, '/api/v1/devices?page=1&limit=1')
      await patch(box, `/api/v1/devices/${data[0]?.id}`, { displayName: `renamed ${performance.now()}` })
    }),
    await afterWrite('Organizations, first after a write', boxes, organizations, async (box) => {
      const { data } = await get<{ data: { id: string }[] }>(box, organizations)
      await patch(box, `/api/v1/orgs/organizations/${data[0]?.id}`, { name: `renamed ${performance.now()}` })
    }),
  ]
}

const folderOf = (folder: string, size: number) => join(folder, String(size))

/** Each size is the one before, grown. */
async function seedSizes(folder: string): Promise<void> {
  const db = await newDatabase(join(folder, 'growing.db'))
  for (const size of sizes) {
    grow(db, { organizations: size, devices: size })
    mkdirSync(folderOf(folder, size), { recursive: true })
    await db.backup(join(folderOf(folder, size), databaseName))
  }
  db.close()
}

async function reading(name: string, boxes: Box[], path: string): Promise<Curve> {
  const target = ({ origin, headers }: Box): Target => ({ url: origin, requests: [{ path, headers }] })
  for (const box of boxes) await oneByOne(target(box), 200)
  return inTurns(name, boxes, async (box) => (await oneByOne(target(box), requestsARound)).p50)
}

const afterWrite = (name: string, boxes: Box[], path: string, write: (box: Box) => Promise<void>): Promise<Curve> =>
  inTurns(name, boxes, async (box) => {
    await write(box)
    const began = performance.now()
    await get(box, path)
    return performance.now() - began
  })

async function inTurns(name: string, boxes: Box[], measure: (box: Box) => Promise<number>): Promise<Curve> {
  const times = boxes.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [at, box] of boxes.entries()) times[at]?.push(await measure(box))
  return { name, times: times.map(median) }
}

async function get<Body>({ origin, headers }: Box, path: string): Promise<Body> {
  const reply = await fetch(`${origin}${path}`, { headers })
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}`)
  return (await reply.json()) as Body
}

async function patch({ origin, headers }: Box, path: string, body: object): Promise<void> {
  const reply = await fetch(`${origin}${path}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
}
