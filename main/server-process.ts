import type { SsoTrust } from '../shared/api/sso-trust.ts'
import { backoffMs } from '../shared/backoff.ts'
import { pause } from '../shared/node/pause.ts'
import { type ExamineTrust, type Ready, readyMessage, type Stop } from '../shared/process.ts'
import { toError } from '../shared/thrown.ts'
import { TrustQuestions } from './trust-questions.ts'

/** Keeps the API server running: start, ready, restart with growing pauses, stop. Knows nothing of Electron. */

/** A started server. `utility-process.ts` makes one in Electron, tests make them with `child_process.fork`. */
export interface ServerChild {
  send: (message: Stop | ExamineTrust) => void
  /** Kills it at once. */
  kill: () => void
  /** Settles when the process is gone, with words for a person about how it ended. */
  exited: Promise<string>
}
export type StartServer = (onMessage: (message: unknown) => void) => ServerChild | Promise<ServerChild>

export type ServerState =
  | { phase: 'starting'; failures: number; lastError?: string }
  | { phase: 'ready'; ready: Ready }
  | { phase: 'restarting'; failures: number; lastError: string }
  | { phase: 'stopped' }

export interface Supervisor {
  /** Replaces the server by a new one, at once also when it is waiting to be tried again. */
  restart: () => void
  /** Settles when the server is gone for good. */
  stop: () => Promise<void>
  /** The server's verdict on `sso-trust.json`, or a draft of it; rejects when no server is ready. */
  examineTrust: (draft?: string) => Promise<SsoTrust>
}

export interface SupervisorOptions {
  start: StartServer
  onState: (state: ServerState) => void
  /** How long a server asked to stop may take before it is killed. */
  graceMs?: number
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
  now?: () => number
}

const stableMs = 60_000

/** 0.5 s, doubled for every failure in a row, 30 s at most. */
export const restartPauseMs = (failures: number) => backoffMs(failures, { firstMs: 500, capMs: 30_000 })

export function superviseServer(options: SupervisorOptions): Supervisor {
  const { start, onState, graceMs = 10_000, pause: wait = pause, now = Date.now } = options
  // Aborted to end the current attempt, be it a running server or the pause before the next one.
  let attempt = new AbortController()
  let isQuitting = false
  const questions = new TrustQuestions()

  async function keepRunning(): Promise<void> {
    let failures = 0
    let lastError: string | undefined
    while (!isQuitting) {
      attempt = new AbortController()
      const { signal } = attempt
      const startedAt = now()
      onState({ phase: 'starting', failures, lastError })
      const onReady = (ready: Ready) => onState({ phase: 'ready', ready })
      lastError = await runServer({ start, signal, graceMs, onReady, questions }).catch(describeStartFailure)
      if (!signal.aborted) {
        failures = now() - startedAt < stableMs ? failures + 1 : 1
        onState({ phase: 'restarting', failures, lastError })
        await wait(restartPauseMs(failures), signal)
      }
      // A person asked for a new start, so earlier failures do not count.
      if (signal.aborted) [failures, lastError] = [0, undefined]
    }
    onState({ phase: 'stopped' })
  }

  const finished = keepRunning()
  return {
    restart: () => attempt.abort(),
    stop: () => {
      isQuitting = true
      attempt.abort()
      return finished
    },
    examineTrust: (draft) => questions.ask(draft),
  }
}

interface Run extends Required<Pick<SupervisorOptions, 'start' | 'graceMs'>> {
  signal: AbortSignal
  onReady: (ready: Ready) => void
  questions: TrustQuestions
}

/** Runs one server until it ends, by itself or because `signal` asks it to; answers how it ended. */
async function runServer({ start, signal, graceMs, onReady, questions }: Run): Promise<string> {
  const child = await start((message) => {
    questions.hear(message)
    const ready = readyMessage.safeParse(message)
    if (!ready.success || signal.aborted) return
    questions.serverIsReady(child)
    onReady(ready.data)
  })
  let killTimer: NodeJS.Timeout | undefined
  const stop = () => {
    child.send({ type: 'stop' })
    killTimer = setTimeout(child.kill, graceMs)
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  try {
    return await child.exited
  } finally {
    questions.serverIsGone()
    clearTimeout(killTimer)
    signal.removeEventListener('abort', stop)
  }
}

const describeStartFailure = (error: unknown) => `The server could not be started: ${toError(error).message}`
