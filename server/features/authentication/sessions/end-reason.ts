import type { GoodbyeReason } from '../../../../shared/api/events.ts'
import type { Session } from './store.ts'
import { tenantClosed } from './tenant-sessions.ts'

/** Revocation reason of a session that was replaced by another one, whose tokens the client has received. */
export const replaced = 'replaced'

const byReason: Record<string, GoodbyeReason> = {
  logout: 'signed-out',
  'logout-everywhere': 'signed-out-everywhere',
  'user.password.change': 'password-changed',
  'user.password.reset': 'password-changed',
  'email-changed': 'email-changed',
  // The client asks again, and the answer says why the tenant is closed.
  [tenantClosed]: 'changed',
}

/** What the event stream tells a browser whose session has ended; null where it is told nothing. */
export function endReasonOf(session: Session | undefined): GoodbyeReason | null {
  // Still alive or expired: the answer to the next request tells more.
  if (!session?.revoked_reason) return 'changed'
  return session.revoked_reason === replaced ? null : (byReason[session.revoked_reason] ?? 'session-ended')
}
