import { type Farewell, farewell } from '../../shared/api/events.ts'
import { type Bar, createApiClient, type Proof, type ProofQuestion } from './api-client.ts'

/** Why, in the words of the sign-in page. */
export type SessionEnd = Exclude<Farewell, 'changed' | 'session-ended'> | 'session-expired'

interface SessionEvents {
  /** The session has ended, by itself or because it was ended somewhere else. */
  ended: (reason: SessionEnd) => void
  /** The session goes on, but may not do the same as before. */
  changed: () => void
  /** The session goes on, but only one page is open to it. */
  barred: (bar: Bar) => void
}

let events: SessionEvents = { ended: () => {}, changed: () => {}, barred: () => {} }

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
  await new Promise((resolve) => setTimeout(resolve, ownWayMs))
  if (token === null || api.token() !== token) return
  api.signOut()
  events.ended(reason === 'session-ended' ? 'session-expired' : reason)
}

// A tab nobody looks at has no stream, and all tabs lost the one cookie at once.
const tabs = new BroadcastChannel('homeport.session')
tabs.onmessage = ({ data }) => {
  const reason = farewell.safeParse(data)
  if (reason.success) void heedGoodbye(reason.data)
}
export const tellOtherTabs = (reason: Farewell) => tabs.postMessage(reason)

export const api = createApiClient({
  origin: location.origin,
  readCsrfToken: () => /(?:^|;\s*)svc_csrf_token=([^;]+)/.exec(document.cookie)?.[1],
  onEvicted: () => events.ended('session-expired'),
  onBarred: (bar) => events.barred(bar),
  onProofWanted: (question) => askForProof(question),
})
