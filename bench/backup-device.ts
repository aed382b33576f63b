import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from './world.ts'

/** A device with a real agent whose backups are measured. */

const root = join(import.meta.dirname, '..')

export type Api = ReturnType<typeof caller>

export const caller =
  ({ origin, headers }: World) =>
  async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await reply.json()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(answer)}`)
    return answer as { id: string; key: string; status: string; backupVersion?: string; [name: string]: unknown }
  }

/** The agent that devices have, as a process of its own, on a device whose policy names the files. */
export async function enrolledAgent(api: Api, { origin }: World, folder: string, source: string) {
  const org = await api('POST', '/orgs/organizations', { name: 'Backup', slug: 'backup' })
  const site = await api('POST', '/orgs/sites', { orgId: org.id, name: 'HQ' })
  const key = await api('POST', '/enrollment-keys', { name: 'Backup', orgId: org.id, siteId: site.id, maxUsage: 1 })
  const policy = await api('POST', '/configuration-policies', { name: 'Backup', orgId: org.id })
  const settings = { backupMode: 'file', targets: { paths: [source], excludes: [] } }
  await api('POST', `/configuration-policies/${policy.id}/features`, {
    featureType: 'backup',
    inlineSettings: settings,
  })
  await api('POST', `/configuration-policies/${policy.id}/assignments`, { level: 'organization', targetId: org.id })
  const state = join(folder, 'agent')
  const [, id = ''] =
    (await said(startAgent('enroll', key.key, '--server', origin, '--state-dir', state), /as device (\S+)\./)) ?? []
  const agent = startAgent('run', '--state-dir', state)
  await said(agent, /socket: connected/)
  // Until the heartbeat has said that there is restic.
  await pause(10_000)
  return { id, orgId: org.id, agent }
}

const startAgent = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [join(root, 'dist/agent/homeport-agent.mjs'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })

function said(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  let text = ''
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer) => {
      text += String(chunk)
      const found = wanted.exec(text)
      if (found) resolve(found)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('exit', () => reject(new Error(`The agent ended before it said ${wanted}:\n${text}`)))
  })
}

/** From the click to the snapshot; seconds. */
export async function backUp(api: Api, deviceId: string): Promise<number> {
  const began = performance.now()
  const { id } = await api('POST', `/backup/jobs/run/${deviceId}`)
  for (;;) {
    const { status, errorLog } = await api('GET', `/backup/jobs/${id}`)
    if (status === 'completed') return (performance.now() - began) / 1000
    if (status !== 'pending' && status !== 'running') throw new Error(`The backup ended as ${status}: ${errorLog}`)
    await pause(50)
  }
}
