import { readEventLoop } from './fleet.ts'
import { hammer, type Outcome, percentiles } from './load.ts'
import { passSecondFactor, type World } from './world.ts'

/** Milliseconds of whole requests with a thousand rows, and how the appliance is for others meanwhile. */
export interface ImportReport {
  previews: Times
  imports: Times
  repeats: Times
  browser: Outcome
  eventLoopMax: number
  /** Longest delay of an idle process on the same core: what the machine itself took. */
  idleMax: number
}
type Times = { p50: number; max: number }

const files = 10
const rowsOfFile = 1000
const customers = 100

/** Files of another system, each with contacts of a hundred customers it knows by name. */
export async function measureImport(world: World): Promise<ImportReport> {
  passSecondFactor(world)
  const names = await organizationNames(world)
  const [previews, imports, repeats]: [number[], number[], number[]] = [[], [], []]
  await readEventLoop(world)
  await fetch(world.idleDelayUrl)
  const list = { url: world.origin, requests: [{ path: '/api/v1/devices?page=1&limit=50', headers: world.headers }] }
  const browsing = hammer(list, 15, 1)
  for (let file = 0; file < files; file++) {
    const rows = rowsOf(file, names)
    previews.push(await timed(world, 'import/preview', rows, ({ rows }) => rows?.length))
    imports.push(await timed(world, 'import', rows, ({ imported }) => imported?.length))
    repeats.push(await timed(world, 'import', rows, ({ skipped }) => skipped?.length))
  }
  const browser = await browsing
  const { max: eventLoopMax } = await readEventLoop(world)
  return {
    previews: percentiles(previews),
    imports: percentiles(imports),
    repeats: percentiles(repeats),
    browser,
    eventLoopMax,
    idleMax: Number(await (await fetch(world.idleDelayUrl)).text()),
  }
}

const rowsOf = (file: number, names: readonly string[]) =>
  Array.from({ length: rowsOfFile }, (_, n) => ({
    organization: names[n % names.length],
    site: n % 5 === 0 ? 'Head office' : '',
    name: `Person ${file} of ${n}`,
    email: `person.${n}@customer-${file}.test`,
    phone: `+49 30 ${file}${n}`,
    title: 'Office manager',
    roles: n % 3 === 0 ? ['technical', 'billing'] : [],
    externalId: `${file}-${n}`,
    externalSystem: 'psa',
  }))

async function organizationNames({ origin, headers }: World): Promise<string[]> {
  const reply = await fetch(`${origin}/api/v1/orgs/organizations?page=1&limit=${customers}`, { headers })
  return ((await reply.json()) as { data: { name: string }[] }).data.map(({ name }) => name)
}

type Answer = Partial<Record<'rows' | 'imported' | 'skipped', unknown[]>>

async function timed(
  { origin, headers }: World,
  path: string,
  rows: readonly object[],
  countDone: (answer: Answer) => number | undefined,
): Promise<number> {
  const body = JSON.stringify({ rows })
  const began = performance.now()
  const reply = await fetch(`${origin}/api/v1/orgs/contacts/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  })
  const answer = (await reply.json()) as Answer
  const took = performance.now() - began
  if (countDone(answer) !== rowsOfFile)
    throw new Error(`${path}: ${reply.status} ${JSON.stringify(answer).slice(0, 500)}`)
  return took
}
