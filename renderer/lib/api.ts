import { type Bar, createApiClient, type Proof, type ProofQuestion } from './api-client.ts'

interface SessionEvents {
  /** The session has ended by itself. */
  ended: () => void
  /** The session goes on, but only one page is open to it. */
  barred: (bar: Bar) => void
}

let events: SessionEvents = { ended: () => {}, barred: () => {} }

/** Told once by the app, which knows the router: where to go then. */
export const onSession = (handlers: SessionEvents) => {
  events = handlers
}

let askForProof: (question: ProofQuestion) => Promise<Proof | null> = async () => null

/** Told by the dialog that asks, once it is there. */
export const onProofWanted = (handler: typeof askForProof) => {
  askForProof = handler
}

export const api = createApiClient({
  origin: location.origin,
  readCsrfToken: () => /(?:^|;\s*)svc_csrf_token=([^;]+)/.exec(document.cookie)?.[1],
  onEvicted: () => events.ended(),
  onBarred: (bar) => events.barred(bar),
  onProofWanted: (question) => askForProof(question),
})
