import type { SsoLinkErrorCode } from '../../../../shared/sso-codes.ts'
import type { Database } from '../../../db/database.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import {
  findUser,
  type IpAllowlist,
  isPlatformAdminIn,
  membershipOfSession,
  partnerIdOf,
  personActor,
  type User,
} from '../../access/index.ts'
import { findSession } from '../../authentication/index.ts'
import { isOf } from '../provider/owner.ts'
import { type AuthorizationRequest, aboutProvider, ownerOf, type Provider } from '../provider/store.ts'
import type { Assertion } from '../sign-in/assertion.ts'
import type { CompleteLink } from '../sign-in/complete-link.ts'
import { currentProvider } from '../sign-in/current-provider.ts'
import { findIdentity, findIdentityOf, saveIdentity } from '../sign-in/identities.ts'

interface Dependencies {
  db: Database
  clock: Clock
  secrets: Pick<Secrets, 'encrypt'>
  audit: Audit
  allowlist: IpAllowlist
}

interface Rejection {
  /** For the browser. */
  code: SsoLinkErrorCode
  /** For the audit log. */
  reason: string
}

const profile = (query: string) => `/settings/profile?${query}`

/** Connects an account with a subject, if account and session are still as they were when the user began. */
export const linkCompletion =
  (dependencies: Dependencies): CompleteLink =>
  (request, assertion, origin) =>
    dependencies.db.transaction(() => {
      const { db } = dependencies
      const provider = currentProvider(db, request)
      const user = request.link_user_id === null ? undefined : findUser(db, request.link_user_id)
      if (!user) return reject(dependencies, provider, undefined, origin, { code: 'user_gone', reason: 'user_gone' })
      const rejection = rejectionFor(dependencies, request, provider, user, assertion, origin)
      if (rejection) return reject(dependencies, provider, user, origin, rejection)
      // Connecting the same account again changes nothing.
      if (!findIdentity(db, provider.id, assertion.subject)) {
        saveIdentity(dependencies, provider.id, user.id, assertion, { isSignIn: false })
        const event: AuditEvent = {
          ...aboutProvider(provider),
          action: 'sso.identity.linked',
          details: { userId: user.id },
        }
        dependencies.audit(personActor(user, null, origin), event)
      }
      return profile('ssoLinked=1')
    })

function rejectionFor(
  dependencies: Dependencies,
  request: AuthorizationRequest,
  provider: Provider,
  user: User,
  { email, subject }: Assertion,
  origin: Origin,
): Rejection | null {
  const { db } = dependencies
  const change = changeSince(dependencies, request, provider, user, origin)
  if (change) return { code: 'session_invalid', reason: change }
  if (email !== user.email) return { code: 'email_mismatch', reason: 'email_mismatch' }
  const holder = findIdentity(db, provider.id, subject)
  if (holder && holder.user_id !== user.id) return { code: 'identity_in_use', reason: 'subject_of_another_user' }
  const own = findIdentityOf(db, provider.id, user.id)
  if (own && own.external_id !== subject) return { code: 'identity_in_use', reason: 'other_subject_connected' }
  return null
}

/** What has changed since the user began, so that another person may have come back; null for nothing. */
function changeSince(
  { db, clock, allowlist }: Dependencies,
  request: AuthorizationRequest,
  provider: Provider,
  user: User,
  origin: Origin,
): string | null {
  if (user.status !== 'active') return 'user_inactive'
  if (user.auth_epoch !== request.initiating_auth_epoch) return 'auth_epoch_changed'
  if (user.mfa_epoch !== request.initiating_mfa_epoch) return 'mfa_epoch_changed'
  const session = findSession(db, request.initiating_session_id ?? '')
  if (session?.user_id !== user.id || session.revoked_at !== null) return 'session_ended'
  if (Date.parse(session.expires_at) <= clock.now()) return 'session_expired'
  const membership = membershipOfSession(db, user, session)
  if (!membership || !isOf(membership, ownerOf(provider))) return 'membership_lost'
  const subject = {
    userId: user.id,
    email: user.email,
    partnerId: partnerIdOf(membership),
    isPlatformAdmin: isPlatformAdminIn(user, membership, session.sso_provider_id),
  }
  try {
    allowlist.assertAllowed(subject, origin, personActor(user, membership, origin))
    return null
  } catch (error) {
    if (error instanceof AppError && error.status === 403) return 'ip_not_allowed'
    throw error
  }
}

function reject(
  { audit }: Dependencies,
  provider: Provider,
  user: User | undefined,
  origin: Origin,
  { code, reason }: Rejection,
): string {
  audit(user ? personActor(user, null, origin) : systemActor('sso-callback', origin), {
    ...aboutProvider(provider),
    action: 'sso.identity.link_rejected',
    details: { reason, ...(user && { userId: user.id }) },
    result: 'denied',
  })
  return profile(`ssoLinkError=${code}`)
}
