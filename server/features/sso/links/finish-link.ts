import type { SsoLinkErrorCode } from '../../../../shared/sso-codes.ts'
import type { Database } from '../../../db/database.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import {
  findSession,
  findUser,
  type IpAllowlist,
  isPlatformAdminIn,
  membershipOfSession,
  personOf,
  type User,
} from '../../access/index.ts'
import { isOf } from '../owner.ts'
import type { Assertion } from '../sign-in/assertion.ts'
import type { FinishLink } from '../sign-in/finish-link.ts'
import { findIdentity, findIdentityOf, saveIdentity } from '../sign-in/identities.ts'
import { liveProvider } from '../sign-in/live.ts'
import { aboutProvider, type Journey, ownerOf, type Provider } from '../store.ts'

interface Parts {
  db: Database
  clock: Clock
  secrets: Pick<Secrets, 'encrypt'>
  audit: Audit
  allowlist: IpAllowlist
}

interface Rejection {
  /** What the browser is told. */
  code: SsoLinkErrorCode
  /** What the audit log is told. */
  reason: string
}

const profile = (query: string) => `/settings/profile?${query}`

/** The end of connecting an account: what its owner had when they left for the identity provider, they still have. */
export const finishLink =
  (parts: Parts): FinishLink =>
  (journey, assertion, origin) =>
    parts.db.transaction(() => {
      const { db } = parts
      const provider = liveProvider(db, journey)
      const user = journey.link_user_id === null ? undefined : findUser(db, journey.link_user_id)
      if (!user) return reject(parts, provider, undefined, origin, { code: 'user_gone', reason: 'user_gone' })
      const rejection = whyNot(parts, journey, provider, user, assertion, origin)
      if (rejection) return reject(parts, provider, user, origin, rejection)
      // Whoever connects the same pair once more has nothing new to say.
      if (!findIdentity(db, provider.id, assertion.subject)) {
        saveIdentity(parts, provider.id, user.id, assertion, { isSignIn: false })
        const event = { ...aboutProvider(provider), action: 'sso.identity.linked', details: { userId: user.id } }
        parts.audit(personOf(user, null, origin), event)
      }
      return profile('ssoLinked=1')
    })

function whyNot(
  parts: Parts,
  journey: Journey,
  provider: Provider,
  user: User,
  { email, subject }: Assertion,
  origin: Origin,
): Rejection | null {
  const { db } = parts
  const lapse = lapseOf(parts, journey, provider, user, origin)
  if (lapse) return { code: 'session_invalid', reason: lapse }
  if (email !== user.email) return { code: 'email_mismatch', reason: 'email_mismatch' }
  const holder = findIdentity(db, provider.id, subject)
  if (holder && holder.user_id !== user.id) return { code: 'identity_in_use', reason: 'subject_of_another_user' }
  const own = findIdentityOf(db, provider.id, user.id)
  if (own && own.external_id !== subject) return { code: 'identity_in_use', reason: 'other_subject_connected' }
  return null
}

/** What ended while the owner of the account was away, so that it may be somebody else who comes back. */
function lapseOf(
  { db, clock, allowlist }: Parts,
  journey: Journey,
  provider: Provider,
  user: User,
  origin: Origin,
): string | null {
  if (user.status !== 'active') return 'user_inactive'
  if (user.auth_epoch !== journey.initiating_auth_epoch) return 'auth_epoch_changed'
  if (user.mfa_epoch !== journey.initiating_mfa_epoch) return 'mfa_epoch_changed'
  const session = findSession(db, journey.initiating_session_id ?? '')
  if (session?.user_id !== user.id || session.revoked_at !== null) return 'session_ended'
  if (Date.parse(session.expires_at) <= clock.now()) return 'session_expired'
  const membership = membershipOfSession(db, user, session)
  if (!membership || !isOf(membership, ownerOf(provider))) return 'membership_lost'
  const bound = {
    userId: user.id,
    email: user.email,
    partnerId: membership.kind === 'system' ? null : membership.partner_id,
    isPlatformAdmin: isPlatformAdminIn(user, membership, session.sso_provider_id),
  }
  try {
    allowlist.assertAllowed(bound, origin, personOf(user, membership, origin))
    return null
  } catch (error) {
    if (error instanceof AppError && error.status === 403) return 'ip_not_allowed'
    throw error
  }
}

function reject(
  { audit }: Parts,
  provider: Provider,
  user: User | undefined,
  origin: Origin,
  { code, reason }: Rejection,
): string {
  audit(user ? personOf(user, null, origin) : systemActor('sso-callback', origin), {
    ...aboutProvider(provider),
    action: 'sso.identity.link_rejected',
    details: { reason, ...(user && { userId: user.id }) },
    result: 'denied',
  })
  return profile(`ssoLinkError=${code}`)
}
