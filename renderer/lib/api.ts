import { z } from 'zod'
import { type Farewell, farewell } from '../../shared/api/events.ts'
import { type Bar, createApiClient, type Eviction } from './api-client.ts'
import { pause } from './pause.ts'
import { samePerson } from './session-user.ts'
import type { Proof, ProofQuestion } from './step-up.ts'

/** Why, in the words of the sign-in page. */
export type SessionEnd = Exclude<Farewell, 'changed' | 'session-ended'> | Eviction

interface SessionEvents {
  /** The session has ended, by itself or because it was ended somewhere else. */
  ended: (reason: SessionEnd) => void
  /** Another tab brought a session that this one may use. */
  begun: () => void
  /** The session goes on, but may not do the same as before. */
  changed: () => void
  /** The session goes on, but only one page is open to it. */
  barred: (bar: Bar) => void
  /** The page offered what its reader may not do: they may do less by now. */
  refused: () => void
}

let events: SessionEvents = { ended: () => {}, begun: () => {}, changed: () => {}, barred: () => {}, refused: () => {} }

/** Told once by the app, which knows the router: where to go then. */
export const onSession = (handlers: SessionEvents) => {
  events = handlers
}

let askForProof: (question: ProofQuestion) => Promise<Proof | null> = async () => null

/** Told by the dialog that asks, once it is there. */
export const onProofWanted = (handler: typeof askForProof) => {
  askForProof = handler
}

/** The tab that ended the session itself is told too, and goes its own way a moment later. */
const ownWayMs = 300

/** The server, or another tab, says that the tokens of this one are worth nothing, or another thing than before. */
export async function heedGoodbye(reason: Farewell) {
  if (reason === 'changed') return events.changed()
  const token = api.token()
  await pause(ownWayMs)
  if (api.owner() === null || api.token() !== token) return
  // A page that waits for its owner has heard that it is over; but who signs out leaves nothing on a screen.
  if (token === null && reason !== 'signed-out') return
  api.suspend()
  events.ended(reason === 'session-ended' ? 'session-expired' : reason)
}

// A tab nobody looks at has no stream, and all tabs lost the one cookie at once.
const tabs = new BroadcastChannel('homeport.session')
const tenantPerson = z.object({ id: z.string(), partnerId: z.string().nullable(), orgId: z.string().nullable() })
const news = z.union([farewell, z.object({ signedIn: tenantPerson })])
type News = z.infer<typeof news>
tabs.onmessage = ({ data }) => {
  const heard = news.safeParse(data)
  if (!heard.success) return
  if (typeof heard.data === 'string') void heedGoodbye(heard.data)
  else void heedSignIn(heard.data.signedIn)
}
export const tellOtherTabs = (told: News) => tabs.postMessage(told)

/** Another tab replaced the cookie that this one lives on. */
function heedSignIn(person: Parameters<typeof samePerson>[0]) {
  const owner = api.owner()
  if (!owner) return events.begun()
  return samePerson(owner, person) ? resume() : api.yieldTo(person)
}

/** Goes on with the session that the browser has now, if it is one of the person whose tab this is. */
export async function resume() {
  // Out of reach: the next call tries again.
  if (await api.renew().catch(() => false)) events.begun()
}

/** This tab gives up a session that is over. */
export const endHere = (reason: SessionEnd) => events.ended(reason)

export const api = createApiClient({
  origin: location.origin,
  readCsrfToken: () => /(?:^|;\s*)svc_csrf_token=([^;]+)/.exec(document.cookie)?.[1],
  onEvicted: (reason) => events.ended(reason),
  onBarred: (bar) => events.barred(bar),
  onRefused: () => events.refused(),
  onProofWanted: (question) => askForProof(question),
})
