import type { FastifyReply } from 'fastify'
import { KeyedLimit } from '../../lib/keyed-limit.ts'
import { beginSteps, inSteps, type Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../actor.ts'
import { AppError } from '../errors.ts'

type Search = <T>(actor: UserActor, reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>) => Promise<T>

export interface Searches extends Search {
  /** What mostly takes no time: only what is left of it after a few milliseconds waits for anything. */
  steps<T>(actor: UserActor, reply: FastifyReply, steps: Steps<T>): T | Promise<T>
}

/** Finds the best matches of one kind within the reach of the actor. */
export type Find<Found> = (actor: UserActor, text: string, limit: number) => Steps<Found[]>

/** Searches that one user may run at once: a page, its total, and a report. */
const searchesPerUser = 3

/**
 * Runs searches that may take long. They take turns with each other; searches of one user wait for each other, so that
 * one user cannot hold up the others. A search ends when its client disconnects.
 */
export function searches(): Searches {
  const limit = new KeyedLimit(searchesPerUser)
  const search: Search = ({ userId }, reply, work) => {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    return limit.run(userId, async () => {
      try {
        left.signal.throwIfAborted()
        return await work(left.signal)
      } catch (error) {
        throw left.signal.aborted ? new AppError('unavailable', {}, { cause: error }) : error
      }
    })
  }
  const steps: Searches['steps'] = (actor, reply, begun) =>
    beginSteps(begun, (rest) => search(actor, reply, (signal) => inSteps(signal, rest)))
  return Object.assign(search, { steps })
}
