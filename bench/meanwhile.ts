import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Database } from '../server/db/database.ts'
import { readEventLoop, send } from './fleet.ts'
import { beatOf } from './heartbeats.ts'
import { percentiles } from './load.ts'
import { grow } from './seed.ts'
import type { World } from './world.ts'

/** Long work on a large organization, and how everybody else is served while it goes on. */
export interface MeanwhileReport {
  seconds: number
  /** Different states of the progress that a client sees which polls without a pause. */
  progressSeen: number
  beats: { sent: number; lost: number; p50: number; p99: number; max: number }
  browser: { sent: number; p50: number; p99: number; max: number }
  eventLoop: { p99: number; max: number }
  idleMax: number
}

/** Devices of the large organization. */
export const devices = 10_000
/** Of other organizations; they beat as often as ten thousand would. */
const others = 2000
const beatEveryMs = 6
/** The last two organizations had a device each of the first two thousand; what becomes of those is not measured. */
const isLeftAlone = (device: number) => device % 1000 === 999

/** All devices but the first two thousand belong to the last organization, which `also` may change. Before the server starts. */
export function prepareLarge(databaseFile: string, also: (db: Database, large: string) => void = () => {}): void {
  const db = new Database({ file: databaseFile })
  grow(db, { organizations: 1000, devices: others + devices })
  db.transaction(() => {
    const [large] = lastTwo(db)
    db.statement(
      `UPDATE devices SET org_id = @large, site_id = (SELECT id FROM sites WHERE org_id = @large) WHERE seq > ${others}`,
    ).run({ large })
    db.statement(`UPDATE devices SET status = 'online'`).run()
    also(db, large)
  })
  db.close()
}

/** The large organization, and the one before it. */
export function largeAndNext({ databaseFile }: World): [string, string] {
  const db = new Database({ file: databaseFile })
  const pair = lastTwo(db)
  db.close()
  return pair
}

const lastTwo = (db: Database): [string, string] =>
  db.statement('SELECT id FROM organizations ORDER BY created_at DESC LIMIT 2').pluck().all() as [string, string]

/** `begin` starts the work; `progress` is polled as the console does until it returns null. */
export async function measureMeanwhile(
  world: World,
  begin: () => Promise<void>,
  progress: () => Promise<string | null>,
): Promise<MeanwhileReport> {
  const over = new AbortController()
  const load = Promise.all([beat(world, over.signal), browse(world, over.signal), watch(world, over.signal)])
  await pause(2000)
  await readEventLoop(world)
  await fetch(world.idleDelayUrl)
  const began = performance.now()
  await begin()
  const seen = new Set<string>()
  for (let at = await progress(); at !== null; at = await progress()) {
    seen.add(at)
    await pause(100)
  }
  const seconds = (performance.now() - began) / 1000
  over.abort()
  const [beats, browser, eventLoop] = await load
  const during = <T extends { at: number }>(calls: T[]) => calls.filter(({ at }) => at >= began)
  const answered = during(beats).flatMap(({ took }) => (took === null ? [] : [took]))
  return {
    seconds,
    progressSeen: seen.size,
    beats: { sent: during(beats).length, lost: during(beats).length - answered.length, ...percentiles(answered) },
    browser: { sent: during(browser).length, ...percentiles(during(browser).map(({ took }) => took)) },
    eventLoop: {
      p99: Math.max(...during(eventLoop).map(({ p99 }) => p99)),
      max: Math.max(...during(eventLoop).map(({ max }) => max)),
    },
    idleMax: Number(await (await fetch(world.idleDelayUrl)).text()),
  }
}

/** Each at its own moment, counted from then on. */
async function beat({ origin }: World, signal: AbortSignal): Promise<{ at: number; took: number | null }[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 500 })
  const underWay: Promise<{ at: number; took: number | null }>[] = []
  const began = performance.now()
  for (let n = 0; !signal.aborted; n++) {
    const due = began + n * beatEveryMs
    if (due > performance.now()) await pause(due - performance.now())
    const device = (n * 7) % others
    if (isLeftAlone(device)) continue
    const sent = send(origin, beatOf(device), agent)
    underWay.push(sent.then((isAnswered) => ({ at: due, took: isAnswered ? performance.now() - due : null })))
  }
  const times = await Promise.all(underWay)
  agent.destroy()
  return times
}

/** A user who clicks from list to device and back without a pause. */
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
