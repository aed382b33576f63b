import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { median, oneByOne, type Target } from './load.ts'
import { databaseName, signIn, startHomeport } from './processes.ts'
import { addCompany, arrangeOrganizations, grow, newDatabase } from './seed.ts'

/** Milliseconds of one list at each size. */
export interface Curve {
  name: string
  times: number[]
}

export const sizes = [100, 1000, 10_000, 100_000] as const
const rounds = 5
const requestsARound = 40

interface Box {
  folder: string
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
    boxes.push({ folder: folderOf(folder, size), origin, headers: { authorization: `Bearer ${await signIn(origin)}` } })
  }
  const devices = '/api/v1/devices?page=1&limit=50'
  const organizations = '/api/v1/orgs/organizations?page=1&limit=50'
  const renameOrganization = async (box: Box) => {
    const { data } = await get<{ data: { id: string }[] }>(box, organizations)
    await patch(box, `/api/v1/orgs/organizations/${data[0]?.id}`, { name: `renamed ${performance.now()}` })
  }
  const curves = [
    await reading('Organizations', boxes, organizations),
    await reading(
      'Organizations, those put away',
      boxes,
      `${organizations.replace('page=1', 'page=1000000')}&includeArchived=true`,
    ),
    await reading('Organizations, search with 1 match', boxes, `${organizations}&search=000042`),
    await reading('Organizations, search with many', boxes, `${organizations}&search=office`),
    await reading('Organizations, search for two letters', boxes, `${organizations}&search=be`),
    await anew(
      'Organizations, rare search for the first time',
      boxes,
      (n) => `${organizations}&search=${10_000_000 + n}`,
    ),
    await anew('Organizations, common search for the first time', boxes, (n) => `${organizations}&search=${common(n)}`),
    await reading('Devices', boxes, devices),
    await reading('Devices by hostname', boxes, `${devices}&sort=hostname`),
    await reading('Devices, one status and system', boxes, `${devices}&status=online&osType=windows`),
    await reading('Devices, search with 1 match', boxes, `${devices}&search=000042`),
    await reading('Devices, search with many', boxes, `${devices}&search=desktop`),
    await reading('Search of everything, one letter', boxes, '/api/v1/search?q=d'),
    await anew(
      'Search of everything, a device for the first time',
      boxes,
      (n) => `/api/v1/search?q=${`${n}`.padStart(6, '0')}`,
    ),
    await anew('Search of everything, nothing has it', boxes, (n) => `/api/v1/search?q=zzq${n}`),
    await afterWrite('Devices, first after a write', boxes, devices, async (box) => {
      const { data } = await get<{ data: { id: string }[] }>(box, '/api/v1/devices?page=1&limit=1')
      await patch(box, `/api/v1/devices/${data[0]?.id}`, { displayName: `renamed ${performance.now()}` })
    }),
    await afterWrite('Organizations, first after a write', boxes, organizations, renameOrganization),
    await afterWrite(
      'Organizations, first search after a write',
      boxes,
      `${organizations}&search=office`,
      renameOrganization,
    ),
  ]
  for (const { folder } of boxes) addCompany(join(folder, databaseName))
  return [
    ...curves,
    await reading('Beside another company: organizations', boxes, organizations),
    await reading('Beside another company: organizations, search with many', boxes, `${organizations}&search=office`),
    await afterWrite('Beside another company: organizations after a write', boxes, organizations, renameOrganization),
    await reading('Beside another company: devices', boxes, devices),
  ]
}

/** In nearly every name, and never asked for before. */
const common = (n: number) =>
  [...'office 0'].map((letter, at) => (n & (1 << at) ? letter.toUpperCase() : letter)).join('')

const folderOf = (folder: string, size: number) => join(folder, String(size))

/** Each size is the one before, grown. */
async function seedSizes(folder: string): Promise<void> {
  const db = await newDatabase(join(folder, 'growing.db'))
  for (const size of sizes) {
    grow(db, { organizations: size, devices: size })
    arrangeOrganizations(db)
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

/** A query that was never asked before, so that nothing about it is cached. */
function anew(name: string, boxes: Box[], path: (n: number) => string): Promise<Curve> {
  let asked = 0
  return inTurns(name, boxes, async (box) => {
    const began = performance.now()
    await get(box, path(asked++))
    return performance.now() - began
  })
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
