import type { Request } from 'autocannon'
import type { EnrollRequest } from '../shared/device/enroll.ts'
import { heartbeat } from '../shared/device/heartbeat.ts'
import type { BodyOf } from '../shared/endpoint.ts'
import { type Answer, answer, type Question } from './compare.ts'
import { credentialsOf } from './seed.ts'
import type { World } from './world.ts'

const json = { 'content-type': 'application/json' }

/** A beat as the agent sends it: all its metrics, and the facts it repeats each time. */
export function beatOf(n: number): Request {
  const { agentId, token } = credentialsOf(n)
  const body: BodyOf<typeof heartbeat> = {
    status: 'ok',
    agentVersion: '0.1.0',
    role: 'agent',
    metrics: {
      cpuPercent: 12.5,
      ramPercent: 48.2,
      ramUsedMb: 15_800,
      diskPercent: 61.4,
      diskUsedGb: 585.2,
      diskActivityAvailable: true,
      diskReadBytes: 1_048_576,
      diskWriteBytes: 524_288,
      diskReadBps: 2048,
      diskWriteBps: 1024,
      diskReadOps: 12,
      diskWriteOps: 7,
      networkInBytes: 65_536,
      networkOutBytes: 32_768,
      bandwidthInBps: 1200.5,
      bandwidthOutBps: 800.25,
      processCount: 312,
    },
    pendingReboot: false,
    isHeadless: false,
    lastUser: `user${n % 500}`,
    uptime: 86_400 + n,
    osVersion: 'Debian GNU/Linux 13 (trixie)',
    deviceRole: 'workstation',
    isVirtual: false,
  }
  return {
    method: 'POST',
    path: `/api/v1${heartbeat.path.replace(':agentId', agentId)}`,
    headers: { ...json, authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  }
}

/** What devices ask of the server, against the least a list of fifty can cost. */
export async function measureDevices(world: World): Promise<Answer[]> {
  const beats = Array.from({ length: 1000 }, (_, n) => beatOf(n))
  const questions: Question[] = [
    {
      name: 'Heartbeat, 1,000 devices in turn',
      target: { url: world.origin, requests: beats },
      raw: world.rawOrganizations,
      aim: 0.7,
    },
    {
      name: 'Enrollment, each a commit on disk',
      target: { url: world.origin, requests: [await enrollment(world)] },
      raw: world.rawOrganizations,
    },
  ]
  const answers = []
  for (const question of questions) answers.push(await answer(question, world.constant))
  return answers
}

async function enrollment({ origin, headers }: World): Promise<Request> {
  const call = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`${origin}/api/v1${path}`, { ...init, headers: { ...headers, ...json } })
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
    return reply.json()
  }
  const { data } = (await call('/orgs/organizations?limit=1')) as { data: { id: string }[] }
  const wanted = { orgId: data[0]?.id, name: 'bench', maxUsage: 100_000 }
  const { key } = (await call('/enrollment-keys', { method: 'POST', body: JSON.stringify(wanted) })) as { key: string }
  const body: Omit<EnrollRequest, 'hostname'> = {
    enrollmentKey: key,
    osType: 'linux',
    osVersion: 'Debian GNU/Linux 13 (trixie)',
    architecture: 'amd64',
    agentVersion: '0.1.0',
  }
  let machines = 0
  return {
    method: 'POST',
    path: '/api/v1/agents/enroll',
    headers: json,
    setupRequest: (request) => ({ ...request, body: JSON.stringify({ ...body, hostname: `new-${++machines}` }) }),
  }
}
