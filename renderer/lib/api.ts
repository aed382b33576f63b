import { z } from 'zod'
import { type GoodbyeReason, goodbyeReason } from '../../shared/api/events.ts'
import { type AccessBlock, ApiClient, type EvictionReason } from './api-client.ts'
import { pause } from './pause.ts'
import { isSameUser } from './session-user.ts'
import type { StepUpAnswer, StepUpPrompt } from './step-up.ts'

/** Reason for the sign-in page. */
export type SessionEndReason = Exclude<GoodbyeReason, 'changed' | 'session-ended'> | EvictionReason

interface SessionEvents {
  /** The session has ended, here or elsewhere. */
  ended: (reason: SessionEndReason) => void
  /** Another tab started a session that this one can use. */
  begun: () => void
  /** The session continues with other permissions. */
  changed: () => void
  /** The session continues, but only one page is open to it. */
  barred: (bar: AccessBlock) => void
  /** A call was refused for lack of permissions, which may have changed. */
  refused: () => void
}

let events: SessionEvents = { ended: () => {}, begun: () => {}, changed: () => {}, barred: () => {}, refused: () => {} }

/** Called once by the app, which knows the router. */
export const onSession = (handlers: SessionEvents) => {
  events = handlers
}

let askForProof: (question: StepUpPrompt) => Promise<StepUpAnswer | null> = async () => null

/** Called by the step-up dialog once it is mounted. */
export const onStepUpRequired = (handler: typeof askForProof) => {
  askForProof = handler
}

/** The tab that ended the session itself gets the message too; its own navigation comes first. */
const ownNavigationMs = 300

export const isSignOut = (reason: string): boolean => reason === 'signed-out' || reason === 'signed-out-everywhere'

/** Message of the server or another tab that the tokens of this one are invalid, or their permissions changed. */
export async function handleSessionMessage(reason: GoodbyeReason) {
  if (reason === 'changed') return events.changed()
  const token = api.token()
  await pause(ownNavigationMs)
  if (api.owner() === null || api.token() !== token) return
  // A suspended page knows that the session is over; but signing out clears the screen at once.
  if (token === null && !isSignOut(reason)) return
  api.suspend()
  events.ended(reason === 'session-ended' ? 'session-expired' : reason)
}

// Tabs share one cookie, and hidden tabs have no live stream to hear of its end.
const tabs = new BroadcastChannel('homeport.session')
const tenantPerson = z.object({ id: z.string(), partnerId: z.string().nullable(), orgId: z.string().nullable() })
const tabMessage = z.union([goodbyeReason, z.object({ signedIn: tenantPerson })])
type TabMessage = z.infer<typeof tabMessage>
tabs.onmessage = ({ data }) => {
  const parsed = tabMessage.safeParse(data)
  if (!parsed.success) return
  if (typeof parsed.data === 'string') void handleSessionMessage(parsed.data)
  else void handleSignIn(parsed.data.signedIn)
}
export const tellOtherTabs = (message: TabMessage) => tabs.postMessage(message)

/** Another tab replaced the shared refresh cookie. */
function handleSignIn(person: Parameters<typeof isSameUser>[0]) {
  const owner = api.owner()
  if (!owner) return events.begun()
  return isSameUser(owner, person) ? resumeSession() : api.yieldTo(person)
}

/** Continues with the browser's session if it belongs to the user of this tab. */
export async function resumeSession() {
  // If the appliance is unreachable, the next call tries again.
  if (await api.renew().catch(() => false)) events.begun()
}

/** Gives up the ended session of this tab. */
export const endSessionInTab = (reason: SessionEndReason) => events.ended(reason)

export const api = new ApiClient({
  origin: location.origin,
  readCsrfToken: () => /(?:^|;\s*)svc_csrf_token=([^;]+)/.exec(document.cookie)?.[1],
  onEvicted: (reason) => events.ended(reason),
  onBarred: (bar) => events.barred(bar),
  onRefused: () => events.refused(),
  onProofWanted: (question) => askForProof(question),
})
