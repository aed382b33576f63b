import { createHmac, randomUUID } from 'node:crypto'
import { Database } from '../server/db/database.ts'
import { toJson } from '../server/lib/json.ts'
import { systemActor } from '../server/platform/actor.ts'
import { createAudit } from '../server/platform/audit.ts'
import { type AuditRow, eventChecksum } from '../server/platform/audit-chain.ts'
import { systemClock } from '../server/platform/clock.ts'
import { exportAuditLog, listAuditChains, listAuditEvents, verifyAuditLog } from '../shared/api/audit-log.ts'
import type { ReplyOf } from '../shared/endpoint.ts'
import { readEventLoop, readGauges } from './fleet.ts'
import { percentiles } from './load.ts'
import type { World } from './world.ts'

/** A million events: reading them, looking for some, taking all of them along, and what another one costs. */
export interface AuditLogReport {
  pages: { name: string; first: number; p50: number; isLong: boolean; hasAim: boolean }[]
  export: { seconds: number; megabytes: number; growthMb: number; eventLoopMax: number; browser: Percentiles }
  check: { seconds: number; eventLoopMax: number; browser: Percentiles }
  event: { ms: number; write: Percentiles }
  idleMax: number
}
type Percentiles = ReturnType<typeof percentiles>

const events = 1_000_000
const organizations = 1000
const asked = 20
const rare = 'needle'
/** One event in fifty. */
const frequent = 'device.maintenance'
const actions = ['device.update', 'agent.heartbeat.state_change', 'user.login', 'device.update', 'agent.enroll']

/** Chains as the appliance makes them, but without their seals: the key is not there before its first start. */
export function prepareAuditLog(databaseFile: string): void {
  const db = new Database({ file: databaseFile })
  const owners = db.statement('SELECT id AS org_id, partner_id FROM organizations LIMIT ?').all(organizations) as {
    org_id: string
    partner_id: string
  }[]
  const [person] = db.statement('SELECT id, email FROM users').all() as { id: string; email: string }[]
  const heads = new Map<string, string>()
  const began = Date.now() - events * 1000
  const columns = Object.keys(eventOf(0, owners[0], person, began))
  const insert = db.statement(
    `INSERT INTO audit_logs (${columns.join(', ')}, prev_checksum, checksum)
     VALUES (${columns.map((name) => `@${name}`).join(', ')}, @prev_checksum, @checksum)`,
  )
  for (let from = 0; from < events; from += 50_000)
    db.transaction(() => {
      for (let n = from; n < from + 50_000; n++) {
        const owner = owners[n % organizations]
        const row = eventOf(n, owner, person, began)
        const prev_checksum = heads.get(row.org_id ?? '') ?? null
        const checksum = eventChecksum(prev_checksum, row)
        heads.set(row.org_id ?? '', checksum)
        insert.run({ ...row, prev_checksum, checksum })
      }
    })
  db.statement(
    `INSERT INTO audit_chains (org_id, partner_id, first_seq, head_seq, head, length)
     SELECT org_id, partner_id, min(seq), max(seq), '', count(*) FROM audit_logs GROUP BY org_id, partner_id`,
  ).run()
  const end = db.statement('UPDATE audit_chains SET head = ? WHERE org_id = ?')
  db.transaction(() => {
    for (const [orgId, head] of heads) end.run(head, orgId)
  })
  db.close()
}

const eventOf = (
  n: number,
  owner: { org_id: string; partner_id: string } | undefined,
  person: { id: string; email: string } | undefined,
  began: number,
): AuditRow => ({
  id: randomUUID(),
  org_id: owner?.org_id ?? null,
  partner_id: owner?.partner_id ?? null,
  timestamp: new Date(began + n * 1000).toISOString(),
  actor_type: 'user',
  actor_id: person?.id ?? '',
  actor_email: person?.email ?? null,
  action: n % 50 === 7 ? frequent : (actions[n % actions.length] as string),
  resource_type: 'device',
  resource_id: null,
  // Among the oldest, where a search comes last.
  resource_name: n === 1234 ? rare : `desktop-berlin-${n % 10_000}`,
  details: toJson({ changedFields: ['displayName', 'tags'], siteId: '01a1fedb-7ad4-7bf9-9afc-6dae3f44a882' }),
  ip_address: '10.0.0.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0',
  result: 'success',
  error_message: null,
  initiated_by: 'manual',
})

export async function measureAuditLog(world: World): Promise<AuditLogReport> {
  await fetch(world.idleDelayUrl)
  const pages = []
  for (const question of await questions(world)) pages.push(await ask(world, question))
  const event = { ms: await eventCost(world), write: await writeTimes(world) }
  // What SQLite keeps of the file in memory is not what an export holds: the first one reads all of it.
  await takeAlong(world, 'json')
  const taken = await meanwhile(world, () => takeAlong(world, 'csv'))
  const checked = await meanwhile(world, () => check(world))
  return {
    pages,
    event,
    export: { ...taken, ...taken.result },
    check: checked,
    idleMax: Number(await (await fetch(world.idleDelayUrl)).text()),
  }
}

interface Question {
  name: string
  query: Record<string, string>
  /** Looks at every event there is. */
  isLong?: boolean
  hasAim?: boolean
}

async function questions(world: World): Promise<Question[]> {
  const page = { skipCount: 'true' }
  const orgId = await someOrganization(world)
  return [
    { name: 'Everything', query: {} },
    { name: 'Everything, page 100', query: { page: '100' } },
    { name: 'Frequent filter, 1 in 50', query: { ...page, action: frequent } },
    { name: 'Frequent filter, page 100', query: { ...page, action: frequent, page: '100' }, hasAim: false },
    { name: 'Frequent filter, with its total', query: { action: frequent }, isLong: true },
    { name: 'Rare filter, 1 in 1,000,000', query: { ...page, resource: rare }, isLong: true },
    { name: "One organization's", query: { orgId } },
    { name: "One organization's, filtered", query: { ...page, orgId, action: frequent } },
  ]
}

async function ask(world: World, { name, query, isLong = false, hasAim = true }: Question) {
  const times = []
  for (let n = 0; n <= asked; n++) {
    const began = performance.now()
    await get(world, `${listAuditEvents.path}?${new URLSearchParams({ limit: '50', ...query })}`)
    times.push(performance.now() - began)
  }
  const [first = 0, ...others] = times
  return { name, first, p50: percentiles(others).p50, isLong, hasAim }
}

async function someOrganization(world: World): Promise<string> {
  const { data } = await get<{ data: { id: string }[] }>(world, '/orgs/organizations?page=1&limit=1')
  return data[0]?.id as string
}

/** How others fare while `work` goes on. */
async function meanwhile<T>(world: World, work: () => Promise<T>) {
  const times: number[] = []
  let isOver = false
  const browse = async () => {
    while (!isOver) {
      const began = performance.now()
      await get(world, '/devices?page=1&limit=50')
      times.push(performance.now() - began)
    }
  }
  await readEventLoop(world)
  const browsing = browse()
  const began = performance.now()
  const result = await work()
  const seconds = (performance.now() - began) / 1000
  isOver = true
  await browsing
  return { result, seconds, eventLoopMax: (await readEventLoop(world)).max, browser: percentiles(times) }
}

/** Reads all of it; how much that was, and how much more memory the server took on the way. */
async function takeAlong(world: World, format: 'csv' | 'json') {
  const reply = await fetch(`${world.origin}/api/v1${exportAuditLog.path}`, {
    method: exportAuditLog.method,
    headers: { ...world.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ format }),
  })
  if (!reply.ok || !reply.body) throw new Error(`the export answered ${reply.status}`)
  const memory: number[] = []
  let bytes = 0
  let looked = performance.now()
  for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (performance.now() - looked < 500) continue
    memory.push(await memoryOf(world))
    looked = performance.now()
  }
  // Once it is under way: what does not depend on how long it takes is not growth.
  const [early = 0, late = 0] = [memory.slice(2, 10), memory.slice(-10)].map((some) => Math.max(...some))
  return { megabytes: bytes / 2 ** 20, growthMb: Math.max(0, late - early) / 2 ** 20 }
}

const memoryOf = async (world: World) => (await readGauges(world))('process_resident_memory_bytes')

async function check(world: World): Promise<void> {
  const { path, method } = verifyAuditLog
  const reply = await fetch(`${world.origin}/api/v1${path}`, { method, headers: world.headers })
  if (reply.status !== 202) throw new Error(`the check answered ${reply.status}`)
  for (;;) {
    const { summary } = await get<ReplyOf<typeof listAuditChains>>(world, listAuditChains.path)
    if (summary.broken > 0) throw new Error(`${summary.broken} chains do not fit`)
    if (summary.beingChecked === 0) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Milliseconds of an event inside a transaction that is under way; nothing of it is kept. */
async function eventCost({ databaseFile }: World): Promise<number> {
  const db = new Database({ file: databaseFile })
  const sealLog = (ends: string) => createHmac('sha256', 'bench').update(ends).digest('hex')
  const audit = createAudit(db, systemClock, { sealLog })
  const orgId = db.statement('SELECT id FROM organizations').pluck().get() as string
  const details = { changedFields: ['displayName'] }
  const times: number[] = []
  const undone = new Error('undone')
  for (let round = 0; round < 5; round++)
    try {
      db.transaction(() => {
        for (let n = 0; n < 500; n++) {
          const began = performance.now()
          audit(systemActor('bench'), { action: 'device.update', resourceType: 'device', orgId, details })
          times.push(performance.now() - began)
        }
        throw undone
      })
    } catch (error) {
      if (error !== undone) throw error
    }
  db.close()
  return percentiles(times).p50
}

/** One change after the other, each with its event. */
async function writeTimes(world: World): Promise<Percentiles> {
  const [id] = world.deviceIds
  const times: number[] = []
  for (let n = 0; n < 200; n++) {
    const began = performance.now()
    const reply = await fetch(`${world.origin}/api/v1/devices/${id}`, {
      method: 'PATCH',
      headers: { ...world.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ displayName: `renamed ${n}` }),
    })
    if (!reply.ok) throw new Error(`a change answered ${reply.status}`)
    await reply.arrayBuffer()
    times.push(performance.now() - began)
  }
  return percentiles(times)
}

async function get<Body>({ origin, headers }: World, path: string): Promise<Body> {
  const reply = await fetch(`${origin}/api/v1${path}`, { headers })
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as Body
}
