import { z } from 'zod'
import { jittered } from '../shared/backoff.ts'
import { type CommandDirective, commandDirective, heartbeat } from '../shared/device/heartbeat.ts'
import { pause } from '../shared/node/pause.ts'
import { createBackoff } from './backoff.ts'
import { reasonOf } from './failure.ts'
import type { Log } from './log.ts'
import type { Answer, ServerClient } from './server-client.ts'
import type { VitalSigns } from './vital-signs.ts'

export interface Heart {
  /** Beats until the signal. */
  run(signal: AbortSignal): Promise<void>
  /** The socket connected: beats now instead of at the next turn, unless the server asked for a pause. */
  quicken(): void
}

interface Using {
  agentId: string
  intervalMs: number
  client: ServerClient
  vitalSigns: VitalSigns
  log: Log
  onCommand(directive: CommandDirective): void
  /** The server sends the authorities to trust from now on. */
  onTrust(caPem: string): Promise<void>
  /** The server knows this device and has answered. */
  onBeat(): void
}

const firstWithinMs = 2000
const refusalsBeforePause = 3

/** What the server may answer. Parts are parsed one by one, so that a malformed one does not spoil the others. */
const reply = z.object({
  commands: z.array(z.unknown()).catch([]),
  trust: z.object({ caPem: z.string() }).optional().catch(undefined),
})

export function createHeart(using: Using): Heart {
  const { agentId, intervalMs, client, vitalSigns, log } = using
  const refusedPause = createBackoff({ firstMs: 1000, capMs: 30 * 60_000 })
  let refusals = 0
  let isPauseAskedFor = false
  let nudge = new AbortController()

  /** @returns how long to wait for the next beat, ms */
  async function beat(): Promise<number> {
    const turn = jittered(intervalMs, 0.05)
    let answer: Answer
    try {
      const body = await vitalSigns.read()
      answer = await client.call(heartbeat, { params: { agentId }, body }, { retries: 1 })
    } catch (error) {
      log.warn(`heartbeat: ${reasonOf(error)}`)
      return turn
    }
    refusals = answer.status === 401 ? refusals + 1 : 0
    if (answer.status === 200) await take(answer.json)
    else log.warn(`heartbeat: the server answered ${answer.status}`)
    return pauseAfter(answer, turn)
  }

  function pauseAfter({ status, retryAfterMs }: Answer, turn: number): number {
    const isTokenRefused = refusals >= refusalsBeforePause
    isPauseAskedFor = status === 429
    if (isTokenRefused) {
      const wait = refusedPause.next()
      log.error(
        `heartbeat: the server does not accept this device's token; next attempt in ${Math.round(wait / 1000)} s`,
      )
      return wait
    }
    refusedPause.reset()
    return Math.max(turn, status === 429 ? (retryAfterMs ?? 0) : 0)
  }

  async function take(json: unknown): Promise<void> {
    const parsed = reply.safeParse(json)
    if (!parsed.success) return log.warn('heartbeat: the answer is not an object')
    for (const item of parsed.data.commands) {
      const directive = commandDirective.safeParse(item)
      if (directive.success) using.onCommand(directive.data)
      else log.warn('heartbeat: a command that cannot be read')
    }
    using.onBeat()
    if (parsed.data.trust) await using.onTrust(parsed.data.trust.caPem)
  }

  return {
    async run(signal) {
      await pause(Math.random() * Math.min(intervalMs, firstWithinMs), signal)
      while (!signal.aborted) {
        nudge = new AbortController()
        const wait = await beat().catch((error) => {
          log.error(`heartbeat: ${reasonOf(error)}`)
          return intervalMs
        })
        await pause(wait, AbortSignal.any([signal, nudge.signal]))
      }
    },
    quicken() {
      if (!isPauseAskedFor) nudge.abort()
    },
  }
}
