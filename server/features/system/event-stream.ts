import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply } from 'fastify'
import type { GoodbyeReason, LiveEvent } from '../../../shared/api/events.ts'
import type { Identity, UserActor } from '../../platform/actor.ts'
import { second } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Identities } from '../authentication/index.ts'

/** Unread bytes after which a browser is cut off; it comes back and reads everything anew. */
const maxBacklog = 1024 * 1024

const lineOf = (event: LiveEvent) => `data: ${JSON.stringify(event)}\n\n`

/** What the page was drawn by: what its reader may do, and where. */
const powersOf = ({ roleId, grants, isPlatformAdmin, orgAccess, orgs, sites, groups }: Identity) => ({
  roleId,
  grants,
  isPlatformAdmin,
  orgAccess,
  // Who may see all there are still may when some come or go.
  orgIds: orgAccess === 'all' ? null : orgs.ids,
  sites,
  groups,
})

/** Server-sent events for one signed-in user, until either side hangs up, the session ends or may do other things. */
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
  let powers = powersOf(actor)
  const identity = () => {
    const now = identities.current(actor)
    if (!now) return null
    const next = powersOf(now)
    if (!isDeepStrictEqual(next, powers)) return null
    // Identities are kept: the same objects are equal at a glance next time.
    powers = next
    return now
  }
  // At once, not when the reader has read what waits for it: nothing may be written behind the end.
  const end = (reason: GoodbyeReason | null) => {
    clearInterval(timer)
    unsubscribe()
    if (raw.writableLength > 0) raw.destroy()
    else raw.end(reason ? lineOf({ type: 'goodbye', reason }) : undefined)
  }
  const close = () => end(null)
  const dismiss = () => end(identities.endReasonOf(actor.sessionId))
  const unsubscribe = live.subscribe({ sessionId: actor.sessionId, identity, deviceId, send, dismiss, close })
  // A comment now and then keeps middleboxes from closing the line.
  const timer = setInterval(() => raw.write(': still here\n\n'), 20 * second)
  raw.on('close', close)
  send({ type: 'hello', at: new Date().toISOString() })
}
