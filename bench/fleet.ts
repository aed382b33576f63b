import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from 'autocannon'
import SQLite from 'better-sqlite3'
import { Database } from '../server/db/database.ts'
import { beatOf } from './heartbeats.ts'
import { hammer, type Outcome, percentiles } from './load.ts'
import type { World } from './world.ts'

/** How the appliance holds up under its whole fleet while a user works with it. */
export interface FleetReport {
  beats: { sent: number; lost: number; p50: number; p99: number; max: number }
  browser: Outcome
  flips: number
  eventLoop: { p99: number; max: number }
  /** Longest delay of an idle process on the same core: what the machine itself took. */
  idleMax: number
  memoryMb: number
}

const devices = 10_000
const intervalMs = 60_000
const runMs = 35_000

/** One device in fifty was off and beats again; all others are online. Before the server starts. */
export function prepareFleet(databaseFile: string): void {
  const db = new Database({ file: databaseFile })
  db.statement(`UPDATE devices SET status = iif(seq % 50 = 1, 'offline', 'online')`).run()
  db.close()
}

export async function measureFleet(world: World): Promise<FleetReport> {
  const { origin, headers, pageIds } = world
  await readEventLoop(world)
  const list = '/api/v1/devices?page=1&limit=50'
  const clicks = pageIds.flatMap((id) => [list, `/api/v1/devices/${id}`]).map((path) => ({ path, headers }))
  const flipsBefore = countFlips(world)
  await fetch(world.idleDelayUrl)
  const [times, browser, eventLoop] = await Promise.all([
    beatAll(origin, runMs),
    hammer({ url: origin, requests: clicks }, runMs / 1000, 1),
    watchEventLoop(world),
  ])
  const answered = times.filter((time) => time !== null)
  return {
    beats: { sent: times.length, lost: times.length - answered.length, ...percentiles(answered) },
    browser,
    flips: countFlips(world) - flipsBefore,
    eventLoop,
    idleMax: Number(await (await fetch(world.idleDelayUrl)).text()),
    memoryMb: (await readGauges(world))('process_resident_memory_bytes') / 2 ** 20,
  }
}

/** Every device beats at its own moment of the minute; times count from then, so waiting for the server is included. */
export async function beatAll(origin: string, runMs: number): Promise<(number | null)[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 500 })
  const began = performance.now()
  const underWay: Promise<number | null>[] = []
  for (let n = 0; n * (intervalMs / devices) < runMs; n++) {
    // Neighbours in time are not neighbours in the table.
    const device = (n * 7919) % devices
    const due = began + n * (intervalMs / devices)
    if (due > performance.now()) await pause(due - performance.now())
    underWay.push(
      send(origin, beatOf(device), agent).then((isAnswered) => (isAnswered ? performance.now() - due : null)),
    )
  }
  const times = await Promise.all(underWay)
  agent.destroy()
  return times
}

export const send = (origin: string, { path, method, headers, body }: Request, agent: Agent): Promise<boolean> =>
  new Promise((resolve) => {
    const call = request(`${origin}${path}`, { method, headers: headers as Record<string, string>, agent }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode === 200))
    })
    call.on('error', () => resolve(false)).end(body)
  })

async function watchEventLoop(world: World): Promise<FleetReport['eventLoop']> {
  const worst = { p99: 0, max: 0 }
  for (let elapsed = 0; elapsed < runMs; elapsed += 1000) {
    await pause(1000)
    const { p99, max } = await readEventLoop(world)
    worst.p99 = Math.max(worst.p99, p99)
    worst.max = Math.max(worst.max, max)
  }
  return worst
}

/** Milliseconds since the last reading. */
export async function readEventLoop(world: World): Promise<FleetReport['eventLoop']> {
  const gauge = await readGauges(world)
  return {
    p99: gauge('homeport_event_loop_delay_p99_seconds') * 1000,
    max: gauge('homeport_event_loop_delay_max_seconds') * 1000,
  }
}

/** Each change of a status leaves an event. */
function countFlips({ databaseFile }: World): number {
  const db = new SQLite(databaseFile, { readonly: true })
  const count = db.prepare(`SELECT count(*) FROM audit_logs WHERE action = 'agent.heartbeat.state_change'`).pluck()
  const flips = count.get() as number
  db.close()
  return flips
}

export async function readGauges({ origin, headers }: World): Promise<(name: string) => number> {
  const lines = (await (await fetch(`${origin}/api/v1/metrics`, { headers })).text()).split('\n')
  return (name) => Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1))
}
