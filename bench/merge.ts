import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Database } from '../server/db/database.ts'
import { mergeOrganization, readMergeRun } from '../shared/api/organization-merge.ts'
import type { ReplyOf } from '../shared/endpoint.ts'
import { readEventLoop, send } from './fleet.ts'
import { beatOf } from './heartbeats.ts'
import { percentiles } from './load.ts'
import { grow } from './seed.ts'
import type { World } from './world.ts'

/** An organization with 10,000 devices is merged into another one while everybody else goes on working. */
export interface MergeReport {
  devices: number
  contacts: number
  seconds: number
  /** Different numbers of moved rows that somebody saw who asked all the time. */
  progressSeen: number
  beats: { sent: number; lost: number; p50: number; p99: number; max: number }
  browser: { sent: number; p50: number; p99: number; max: number }
  eventLoop: { p99: number; max: number }
  idleMax: number
}

const devices = 10_000
const contacts = 1000
/** Of other organizations; they beat as often as ten thousand would. */
const others = 2000
const beatEveryMs = 6

/** For the server: calls under way get no time to end before, since it is the move that is measured. */
export const mergeEnv = { ENABLE_2FA: 'false', ORG_MERGE_FENCE_DRAIN_MS: '0' }

/** All devices but the first two thousand belong to the last organization. Before the server starts. */
export function prepareMerge(databaseFile: string): void {
  const db = new Database({ file: databaseFile })
  grow(db, { organizations: 1000, devices: others + devices })
  db.transaction(() => {
    const [loser] = pairIn(db)
    db.statement(
      `UPDATE devices SET org_id = @loser, site_id = (SELECT id FROM sites WHERE org_id = @loser) WHERE seq > ${others}`,
    ).run({ loser })
    const contact = db.statement(
      `INSERT INTO contacts (id, org_id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, '', '')`,
    )
    for (let n = 0; n < contacts; n++) contact.run(`contact-${n}`, loser, `Contact ${n}`, `c${n}@bench.test`)
    db.statement(`UPDATE devices SET status = 'online'`).run()
  })
  db.close()
}

/** The last organization and the one before. */
const pairIn = (db: Database): [string, string] =>
  db.statement('SELECT id FROM organizations ORDER BY created_at DESC LIMIT 2').pluck().all() as [string, string]

export async function measureMerge(world: World): Promise<MergeReport> {
  const { origin, headers } = world
  const db = new Database({ file: world.databaseFile })
  const [loser, survivor] = pairIn(db)
  db.close()
  const over = new AbortController()
  const load = Promise.all([beat(origin, over.signal), browse(world, over.signal), watch(world, over.signal)])
  await pause(2000)
  await readEventLoop(world)
  await fetch(world.idleDelayUrl)
  const began = performance.now()
  await fetch(`${origin}/api/v1${mergeOrganization.path.replace(':id', loser)}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ survivorId: survivor }),
  })
  const progressSeen = await followed(world, loser)
  const seconds = (performance.now() - began) / 1000
  over.abort()
  const [beats, browser, eventLoop] = await load
  const during = <T extends { at: number }>(calls: T[]) => calls.filter(({ at }) => at >= began)
  const answered = during(beats).flatMap(({ took }) => (took === null ? [] : [took]))
  return {
    devices,
    contacts,
    seconds,
    progressSeen,
    beats: { sent: during(beats).length, lost: during(beats).length - answered.length, ...percentiles(answered) },
    browser: { sent: during(browser).length, ...percentiles(during(browser).map(({ took }) => took)) },
    eventLoop: {
      p99: Math.max(...during(eventLoop).map(({ p99 }) => p99)),
      max: Math.max(...during(eventLoop).map(({ max }) => max)),
    },
    idleMax: Number(await (await fetch(world.idleDelayUrl)).text()),
  }
}

/** Asks as the console does until it is complete. */
async function followed({ origin, headers }: World, loser: string): Promise<number> {
  const address = `${origin}/api/v1${readMergeRun.path.replace(':jobId', `org-merge-${loser}`)}`
  const seen = new Set<number>()
  for (;;) {
    const run = (await (await fetch(address, { headers })).json()) as ReplyOf<typeof readMergeRun>
    if (run.progress) seen.add(run.progress.movedRows)
    if (run.state === 'failed') throw new Error(`the merge failed: ${run.failedReason}`)
    if (run.state === 'completed') return seen.size
    await pause(100)
  }
}

/** Each at its own moment, counted from then on. */
async function beat(origin: string, signal: AbortSignal): Promise<{ at: number; took: number | null }[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 500 })
  const underWay: Promise<{ at: number; took: number | null }>[] = []
  const began = performance.now()
  for (let n = 0; !signal.aborted; n++) {
    const due = began + n * beatEveryMs
    if (due > performance.now()) await pause(due - performance.now())
    const device = (n * 7) % others
    // Those few of the organization that is merged are refused while it is.
    if (device % 1000 === 999) continue
    const sent = send(origin, beatOf(device), agent)
    underWay.push(sent.then((isAnswered) => ({ at: due, took: isAnswered ? performance.now() - due : null })))
  }
  const times = await Promise.all(underWay)
  agent.destroy()
  return times
}

/** Somebody who clicks from list to device and back without a pause. */
async function browse({ origin, headers, pageIds }: World, signal: AbortSignal) {
  const pages = pageIds.slice(0, 40).flatMap((id) => ['/devices?page=1&limit=50', `/devices/${id}`])
  const times: { at: number; took: number }[] = []
  for (let n = 0; !signal.aborted; n++) {
    const at = performance.now()
    const reply = await fetch(`${origin}/api/v1${pages[n % pages.length]}`, { headers })
    await reply.text()
    if (!reply.ok) throw new Error(`${reply.status} for ${pages[n % pages.length]}`)
    times.push({ at, took: performance.now() - at })
  }
  return times
}

async function watch(world: World, signal: AbortSignal) {
  const readings: { at: number; p99: number; max: number }[] = []
  while (!signal.aborted) {
    await pause(250)
    readings.push({ at: performance.now(), ...(await readEventLoop(world)) })
  }
  return readings
}
