import type { Farewell } from '../../../../shared/api/events.ts'
import type { Session } from '../../access/users/store.ts'
import { tenantClosed } from './tenant-sessions.ts'

/** Why a session ended that goes on as another one: whoever held it has the tokens of that one. */
export const replaced = 'replaced'

const byReason: Record<string, Farewell> = {
  logout: 'signed-out',
  'user.password.change': 'password-changed',
  'user.password.reset': 'password-changed',
  'email-changed': 'email-changed',
  // Asking again tells who closed it, and why.
  [tenantClosed]: 'changed',
}

/** What is said to a browser whose session may not go on; null where there is nothing to say. */
export function farewellTo(session: Session | undefined): Farewell | null {
  // It lives, or ended by itself: asking again tells more.
  if (!session?.revoked_reason) return 'changed'
  return session.revoked_reason === replaced ? null : (byReason[session.revoked_reason] ?? 'session-ended')
}
