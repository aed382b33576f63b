import { submitResult } from '../shared/device/commands.ts'
import type { AgentFrame } from '../shared/device/socket.ts'
import { reasonOf } from './failure.ts'
import type { CommandResult, Journal } from './journal.ts'
import type { Log } from './log.ts'
import type { ServerClient } from './server-client.ts'

export interface Reporter {
  /** Offers one result to the server, by the socket if there is one, else by HTTP; keeps it when neither worked. */
  report(id: string): Promise<void>
  /** Offers every result the server does not have yet. */
  flush(): Promise<void>
  /** The server has said over the socket that it has this result. */
  acknowledged(id: string): void
}

interface Using {
  agentId: string
  client: ServerClient
  journal: Journal
  log: Log
  /** @returns false when no socket is open or the frame is too large for it */
  send(frame: AgentFrame): boolean
}

const ackPatienceMs = 3000
/** Retrying cannot change these: the command is unknown, or its result unacceptable. */
const finalRefusals = [400, 404, 413]

export function createReporter({ agentId, client, journal, log, send }: Using): Reporter {
  const inFlight = new Map<string, Promise<void>>()
  const awaitingAck = new Map<string, () => void>()

  async function deliver(id: string): Promise<void> {
    const result = journal.result(id)
    const isSent = send(toFrame(id, result))
    if (!result || (isSent && (await isAcknowledged(id)))) return
    await post(id, result)
  }

  function isAcknowledged(id: string): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (answer: boolean) => {
        clearTimeout(timer)
        awaitingAck.delete(id)
        resolve(answer)
      }
      const timer = setTimeout(settle, ackPatienceMs, false)
      awaitingAck.set(id, () => settle(true))
    })
  }

  async function post(id: string, result: CommandResult): Promise<void> {
    try {
      const { status } = await client.call(submitResult, { params: { agentId, commandId: id }, body: result })
      if (status === 200) return journal.acknowledge(id)
      log.warn(`command ${id}: the server answered ${status} to the result`)
      if (finalRefusals.includes(status)) journal.acknowledge(id)
    } catch (error) {
      log.warn(`command ${id}: result not delivered, will be tried again: ${reasonOf(error)}`)
    }
  }

  function report(id: string): Promise<void> {
    const going = inFlight.get(id) ?? deliver(id).finally(() => inFlight.delete(id))
    inFlight.set(id, going)
    return going
  }

  return {
    report,
    async flush() {
      for (const id of journal.unreported()) await report(id)
    },
    acknowledged(id) {
      journal.acknowledge(id)
      awaitingAck.get(id)?.()
    },
  }
}

/** For a result that was too large to keep: answered as the public agent answers every repetition. */
function toFrame(commandId: string, result: CommandResult | undefined): AgentFrame {
  if (!result) return { type: 'command_result', commandId, status: 'duplicate' }
  return { type: 'command_result', commandId, ...result }
}
