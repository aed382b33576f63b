import type { CommandDirective } from '../shared/device/heartbeat.ts'
import { pause } from '../shared/node/pause.ts'
import { type Command, failed } from './commands/command.ts'
import { reasonOf } from './failure.ts'
import type { CommandResult, Journal } from './journal.ts'
import type { Log } from './log.ts'

export interface CommandRunner {
  /** Takes a command from socket or heartbeat; one that came before is only answered again. */
  submit(directive: CommandDirective): void
  /** Ends running commands and keeps waiting ones for the next start. */
  stop(): Promise<void>
}

interface Using {
  journal: Journal
  commands: Map<string, Command>
  log: Log
  /** Sends the server the journaled result of this command. */
  report(id: string): Promise<void>
  sendProgress(id: string, progress: unknown): void
  /** Opens the way for a running command's output. */
  openOutput(id: string): { push(stream: 'stdout' | 'stderr', text: string): void; close(): void }
}

interface Surroundings {
  signal: AbortSignal
  output: ReturnType<Using['openOutput']>
  progress(progress: unknown): void
  /** Cancels another command; false when there is none. */
  cancel(id: string): boolean
}

const maxRunning = 10
const maxWaiting = 100
const stopPatienceMs = 5000

export function createCommandRunner({
  journal,
  commands,
  log,
  report,
  openOutput,
  sendProgress,
}: Using): CommandRunner {
  const waiting: CommandDirective[] = []
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>()
  let isStopping = false

  settleInterrupted(journal, commands, log)
  waiting.push(...journal.waiting())
  queueMicrotask(startNext)

  function startNext(): void {
    while (!isStopping && running.size < maxRunning) {
      const next = waiting.shift()
      if (!next) return
      start(next)
    }
  }

  function start(directive: CommandDirective): void {
    const controller = new AbortController()
    const done = perform(directive, controller.signal)
      .catch((error) => log.error(`command ${directive.id}: ${reasonOf(error)}`))
      .finally(() => {
        running.delete(directive.id)
        startNext()
      })
    running.set(directive.id, { controller, done })
  }

  async function perform(directive: CommandDirective, signal: AbortSignal): Promise<void> {
    const { id, type, payload } = directive
    const known = commands.get(type)
    journal.start(id)
    log.info(`command ${id}: ${type} begins`)
    finish(
      id,
      known
        ? await execute(known, directive, {
            signal,
            output: openOutput(id),
            progress: (progress) => sendProgress(id, progress),
            cancel,
          })
        : failed(`unknown command type: ${type}`),
    )
    const reported = report(id)
    if (known?.afterwards && journal.result(id)?.status === 'completed') {
      await reported
      await known.afterwards(payload).catch((error) => log.error(`command ${id}: ${reasonOf(error)}`))
    }
  }

  function finish(id: string, result: CommandResult): void {
    journal.finish(id, result)
    log.info(`command ${id}: ${result.status}${result.error ? ` (${result.error})` : ''}`)
  }

  function refuse(id: string, error: string): void {
    finish(id, failed(error))
    void report(id)
  }

  function cancel(id: string): boolean {
    const index = waiting.findIndex((one) => one.id === id)
    if (index >= 0) {
      waiting.splice(index, 1)
      refuse(id, 'cancelled')
      return true
    }
    running.get(id)?.controller.abort(new Error('cancelled'))
    return running.has(id)
  }

  return {
    submit(directive) {
      const { id, type } = directive
      const state = journal.state(id)
      if (state === 'finished' || state === 'reported') void report(id)
      if (state !== undefined || isStopping) return
      journal.accept(directive, { isSecret: commands.get(type)?.isSecret ?? false })
      if (commands.get(type)?.isUrgent) return start(directive)
      if (running.size >= maxRunning && waiting.length >= maxWaiting) return refuse(id, 'worker pool full')
      waiting.push(directive)
      startNext()
    },
    async stop() {
      isStopping = true
      for (const { controller } of running.values()) {
        controller.abort(new Error('the agent was stopped while the command was running'))
      }
      const patience = new AbortController()
      const all = Promise.allSettled([...running.values()].map(({ done }) => done))
      await Promise.race([all, pause(stopPatienceMs, patience.signal)])
      patience.abort()
    },
  }
}

/** Never rejects: what a command throws becomes its result. */
async function execute(
  known: Command,
  { id, payload }: CommandDirective,
  surroundings: Surroundings,
): Promise<CommandResult> {
  const { signal, output, progress, cancel } = surroundings
  const startedAt = new Date().toISOString()
  const begun = performance.now()
  try {
    const result = await known.execute(payload, { id, signal, output: output.push, progress, cancel })
    return { ...result, startedAt, durationMs: Math.round(performance.now() - begun) }
  } catch (error) {
    return failed(reasonOf(error))
  } finally {
    output.close()
  }
}

/**
 * Commands that were running when the agent died fail here; they must not be run twice. So do those that waited and of
 * which nothing was written down.
 */
function settleInterrupted(journal: Journal, commands: Map<string, Command>, log: Log): void {
  for (const { id, type } of journal.waiting())
    if (commands.get(type)?.isSecret) journal.finish(id, failed('agent restarted before the command began'))
  for (const { id, type } of journal.interrupted()) {
    const hasWorked = commands.get(type)?.endsAgent === true
    log.warn(`command ${id}: the agent ended while ${type} was running`)
    journal.finish(
      id,
      hasWorked ? { status: 'completed', exitCode: 0 } : failed('agent restarted while the command was running'),
    )
  }
}
