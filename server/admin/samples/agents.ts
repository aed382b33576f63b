import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { submitResult } from '../../../shared/device/commands.ts'
import { type CommandDirective, heartbeat } from '../../../shared/device/heartbeat.ts'
import { minute } from '../../platform/clock.ts'
import { type Call, callsTo, RefusedCall } from './client.ts'
import { heartbeatOf, hostnameOf } from './machines.ts'

/** The agents of the sample devices: they send heartbeats and answer commands, and do nothing to any computer. */

const sampleAgent = z.object({ n: z.int(), agentId: z.string(), authToken: z.string() })
export type SampleAgent = z.infer<typeof sampleAgent>

const fileIn = (dataDir: string) => join(dataDir, 'sample-agents.json')

export const writeAgents = (dataDir: string, agents: readonly SampleAgent[]): void =>
  writeFileSync(fileIn(dataDir), JSON.stringify(agents), { mode: 0o600 })

function readAgents(dataDir: string): SampleAgent[] {
  if (!existsSync(fileIn(dataDir))) throw new Error(`There are no sample devices in ${dataDir}`)
  return z.array(sampleAgent).parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
}

/**
 * Lets the sample devices send a heartbeat every minute, until the process ends.
 * @throws Error if there are none
 */
export async function runSampleAgents(origin: string, dataDir: string): Promise<void> {
  const agents = readAgents(dataDir)
  const call = callsTo(origin)
  await Promise.all(
    agents.map(async (agent, index) => {
      // Spread over the minute, as real ones are.
      await pause((index * minute) / agents.length)
      for (let isEnrolled = true; isEnrolled; await pause(minute)) isEnrolled = await beatOnce(call, agent)
    }),
  )
}

/** False once the appliance no longer knows the device. While the appliance restarts, beats are lost. */
async function beatOnce(call: Call, agent: SampleAgent): Promise<boolean> {
  try {
    await beat(call, agent)
    return true
  } catch (error) {
    return !(error instanceof RefusedCall && error.status === 401)
  }
}

/** Sends a heartbeat, and a result for each command that it brings. */
export async function beat(call: Call, { n, agentId, authToken }: SampleAgent): Promise<void> {
  const { commands } = await call(heartbeat, { params: { agentId }, body: heartbeatOf(n) }, authToken)
  for (const command of commands)
    await call(submitResult, { params: { agentId, commandId: command.id }, body: resultOf(n, command) }, authToken)
}

function resultOf(n: number, { type, payload }: CommandDirective) {
  if (type !== 'script') return { status: 'completed' as const, exitCode: 0, durationMs: 340 }
  if (/\bexit 1\b/.test(String(payload.content)))
    return { status: 'failed' as const, exitCode: 1, stderr: 'chkdsk: the volume is in use\n', durationMs: 1210 }
  const stdout = `${hostnameOf(n)} is a sample device: scripts are not run.\n`
  return { status: 'completed' as const, exitCode: 0, stdout, durationMs: 870 }
}
