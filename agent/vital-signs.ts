import { hostname, uptime } from 'node:os'
import type { z } from 'zod'
import type { heartbeat } from '../shared/device/heartbeat.ts'
import { type Circumstances, readCircumstances } from './collectors/circumstances.ts'
import { type Identity, readIdentity } from './collectors/identity.ts'
import { createMetricsSampler } from './collectors/metrics.ts'
import { currentAddresses } from './collectors/network.ts'
import { reasonOf } from './failure.ts'
import type { Trust } from './http.ts'
import type { Log } from './log.ts'
import type { ResticPrograms } from './restic/programs.ts'
import type { AgentState } from './state.ts'
import { agentVersion } from './version.ts'

export type HeartbeatBody = z.input<NonNullable<typeof heartbeat.body>>

/** The content of a heartbeat. Never waits for slow facts; the next heartbeat will have them. */
export interface VitalSigns {
  read(): Promise<HeartbeatBody>
}

const circumstancesEveryMs = 5 * 60_000
const alarmingPercent = 90

type Engine = Pick<ResticPrograms, 'ready' | 'known'>

export function createVitalSigns(state: AgentState, trust: Trust, engine: Engine, log: Log): VitalSigns {
  const metrics = createMetricsSampler()
  let identity: Identity | undefined
  let circumstances: Circumstances = {}
  let circumstancesAt = Number.NEGATIVE_INFINITY

  readIdentity().then(
    (found) => {
      identity = found
    },
    (error) => log.warn(`identity: ${reasonOf(error)}`),
  )
  lookAround()

  function lookAround(): void {
    if (performance.now() - circumstancesAt < circumstancesEveryMs) return
    circumstancesAt = performance.now()
    readCircumstances().then(
      (found) => {
        circumstances = found
      },
      (error) => log.warn(`circumstances: ${reasonOf(error)}`),
    )
  }

  return {
    async read() {
      lookAround()
      // Without it the first heartbeat would say that there is no engine any more.
      await engine.ready
      const sample = await metrics.sample().catch((error) => log.warn(`metrics: ${reasonOf(error)}`))
      return {
        status: sample && isAlarming(sample) ? 'warning' : 'ok',
        agentVersion,
        role: 'agent',
        ...(sample && { metrics: sample }),
        ...circumstances,
        uptime: Math.floor(uptime()),
        hostname: hostname(),
        osVersion: identity?.osVersion,
        osBuild: identity?.osBuild,
        isHeadless: identity?.isHeadless,
        isVirtual: identity?.isVirtual,
        virtualizationPlatform: identity?.virtualizationPlatform,
        deviceRole: state.deviceRole,
        backupVersion: engineName(engine),
        serverUrl: state.serverUrl,
        ipHistoryUpdate: { currentIPs: currentAddresses() },
        trustFingerprints: trust.fingerprints() ?? undefined,
      }
    },
  }
}

function engineName(engine: Engine): string | undefined {
  const known = engine.known()
  return known ? `restic/${known.version}` : undefined
}

const isAlarming = ({ cpuPercent, ramPercent, diskPercent }: NonNullable<HeartbeatBody['metrics']>) =>
  Math.max(cpuPercent, ramPercent, diskPercent) > alarmingPercent
