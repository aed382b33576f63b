import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hammer, median } from './load.ts'
import { databaseName, type Running, signIn, startHomeport } from './processes.ts'
import { grow, newDatabase } from './seed.ts'

/** The cost of authentication and authorization, as the profiler sees it in a server under load. */

export interface Checked {
  name: string
  /** Requests a second, with the profiler looking on. */
  rate: number
  /** The part of a request in which session, tenant, second factor, address and permission are looked at. */
  share: number
  /** Largest wanted share. */
  aim?: number
}
export interface PermissionReport {
  checked: Checked[]
  /** Milliseconds, one request after the other: nothing has changed; a role has changed just before. */
  undisturbed: number
  afterChange: number
}

const questions = [
  { name: 'One site of 1,000', path: '/api/v1/orgs/sites?limit=1', aim: 0.05 },
  { name: 'The roles of the company', path: '/api/v1/roles', aim: 0.05 },
  { name: 'What can be permitted, which never changes', path: '/api/v1/roles/permissions/available' },
]
/** The first of them let the server warm up. */
const seconds = 6
const measuredSeconds = 4

export async function measurePermissions(folder: string): Promise<PermissionReport> {
  const db = await newDatabase(join(folder, databaseName))
  grow(db, { organizations: 1000, devices: 0 })
  db.close()
  const checked = []
  for (const [index, question] of questions.entries())
    checked.push(await profiled(folder, join(folder, `profile-${index}`), question))
  await using homeport = await startHomeport(folder)
  return { checked, ...(await afterChanges(homeport)) }
}

async function profiled(
  folder: string,
  profiles: string,
  { path, ...question }: (typeof questions)[number],
): Promise<Checked> {
  mkdirSync(profiles)
  const rate = await (async () => {
    const profiler = `--cpu-prof --cpu-prof-interval=200 --cpu-prof-dir=${profiles}`
    await using homeport = await startHomeport(folder, { NODE_OPTIONS: profiler })
    const headers = { authorization: `Bearer ${await signIn(homeport.origin)}` }
    return (await hammer({ url: homeport.origin, requests: [{ path, headers }] }, seconds)).rate
  })()
  // A thread writes a profile of its own; the longest is that of the one that answers.
  const files = readdirSync(profiles).map((file) => join(profiles, file))
  const [longest = ''] = files.toSorted((a, b) => statSync(b).size - statSync(a).size)
  return { ...question, rate, share: admissionIn(JSON.parse(readFileSync(longest, 'utf8'))) }
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** Its part of the last seconds in which requests came, without the time in which the server had nothing to do. */
function admissionIn({ nodes, samples, timeDeltas }: Profile): number {
  const admitting = callsOf(nodes, ['admit', 'admitUser', 'requireAccess'])
  const idle = callsOf(nodes, ['(idle)'])
  let [busy, spent] = [0, 0]
  const last = samples.findLastIndex((id) => admitting.has(id))
  for (let at = last, left = measuredSeconds * 1e6; at >= 0 && left > 0; at--) {
    const [id, took] = [samples[at] as number, timeDeltas[at] as number]
    left -= took
    if (!idle.has(id)) busy += took
    if (admitting.has(id)) spent += took
  }
  return spent / busy
}

/** Calls of these functions, and all that they called. */
function callsOf(nodes: Profile['nodes'], names: readonly string[]): Set<number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = new Set<number>()
  const add = (id: number) => {
    found.add(id)
    for (const child of byId.get(id)?.children ?? []) add(child)
  }
  for (const { id, callFrame } of nodes) if (names.includes(callFrame.functionName)) add(id)
  return found
}

/** After a role has changed, the permissions of a caller are read anew, with all that the role inherits. */
async function afterChanges({ origin }: Running): Promise<Pick<PermissionReport, 'undisturbed' | 'afterChange'>> {
  const headers = { authorization: `Bearer ${await signIn(origin)}`, 'content-type': 'application/json' }
  const send = async (path: string, method = 'GET', body?: object) => {
    const began = performance.now()
    const reply = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return { took: performance.now() - began, text }
  }
  const ask = async () => (await send('/roles/permissions/available')).took
  const { id } = JSON.parse((await send('/roles', 'POST', { name: 'Role' })).text) as { id: string }
  const [undisturbed, afterChange]: [number[], number[]] = [[], []]
  for (let round = 0; round < 300; round++) {
    undisturbed.push(await ask())
    await send(`/roles/${id}`, 'PATCH', { name: `Role ${round}` })
    afterChange.push(await ask())
  }
  return { undisturbed: median(undisturbed.slice(100)), afterChange: median(afterChange.slice(100)) }
}
