import type { FastifyReply } from 'fastify'
import type { Farewell, LiveEvent } from '../../../shared/api/events.ts'
import type { UserActor } from '../../platform/actor.ts'
import { second } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Identities } from '../identity/index.ts'

/** Unread bytes after which a browser is cut off; it comes back and reads everything anew. */
const maxBacklog = 1024 * 1024

const lineOf = (event: LiveEvent) => `data: ${JSON.stringify(event)}\n\n`

const streamPermission = 'devices:read'

/** Server-sent events for one signed-in user, until either side hangs up or the session ends. */
export function streamEvents(
  actor: UserActor,
  deviceId: string | undefined,
  reply: FastifyReply,
  { live, identities }: { live: LiveEvents; identities: Identities },
): void {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const send = (event: LiveEvent) => {
    raw.write(lineOf(event))
    if (raw.writableLength > maxBacklog) raw.destroy()
  }
  // Whoever may not open a stream any more may not keep one either.
  const identity = () => {
    const now = identities.current(actor)
    return now?.permissions.has(streamPermission) ? now : null
  }
  // At once, not when the reader has read what waits for it: nothing may be written behind the end.
  const end = (farewell: Farewell | null) => {
    clearInterval(timer)
    unsubscribe()
    if (raw.writableLength > 0) raw.destroy()
    else raw.end(farewell ? lineOf({ type: 'goodbye', reason: farewell }) : undefined)
  }
  const close = () => end(null)
  const dismiss = () => end(identities.farewellTo(actor.sessionId))
  const unsubscribe = live.subscribe({ sessionId: actor.sessionId, identity, deviceId, send, dismiss, close })
  // A comment now and then keeps middleboxes from closing the line.
  const timer = setInterval(() => raw.write(': still here\n\n'), 20 * second)
  raw.on('close', close)
  send({ type: 'hello', at: new Date().toISOString() })
}
