import type { FastifyReply, FastifyRequest } from 'fastify'
import { enrollUrl } from '../../../../shared/api/auth.ts'
import type { MfaEnrollment } from '../../../../shared/api/profile.ts'
import { fromJson } from '../../../lib/json.ts'
import { recoveryCodeHashes, type User } from '../../access/index.ts'
import type { SessionCookies } from '../sessions/cookies.ts'
import { tokensView } from '../sessions/token-pairs.ts'
import type { Challenged } from './password-sign-in.ts'
import type { SignedIn } from './sign-in.ts'

export const signedInView = (user: User) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  mfaEnabled: user.mfa_enabled === 1,
  avatarUrl: user.avatar_url,
  isPlatformAdmin: user.is_platform_admin === 1,
})

/** The setup wizard is shown to the user who set the appliance up, until they leave it. */
export const requiresSetup = (user: User): boolean =>
  user.setup_completed_at === null && fromJson(user.preferences).bootstrapSetupRequired === true

const enrollmentView = ({ required, deadline }: MfaEnrollment) => ({
  mfaEnrollmentRequired: required,
  ...(required && { enrollUrl }),
  ...(deadline && { mfaEnrollmentDeadline: deadline }),
})

/** The answer to a completed sign-in. Sets the cookies of the session, and marks the browser as known. */
export async function signInReply(
  { user, issued, enrollment, isVouchedFor }: SignedIn,
  cookies: SessionCookies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  cookies.set(request, reply, issued)
  if (!isVouchedFor) await cookies.remember(request, reply, user)
  return {
    mfaRequired: false as const,
    user: signedInView(user),
    tokens: tokensView(issued),
    requiresSetup: requiresSetup(user),
    ...enrollmentView(enrollment),
  }
}

export const challengeView = ({ user, tempToken, methods, smsUnavailable, passkeyHosts }: Challenged) => ({
  mfaRequired: true as const,
  tempToken,
  mfaMethod: primaryOf(user, methods),
  passkeyAvailable: methods.passkey,
  allowedMethods: methods,
  passkeyHosts,
  smsUnavailable,
  recoveryAvailable: recoveryCodeHashes(user).length > 0,
  phoneLast4: methods.sms ? (user.phone_number?.slice(-4) ?? null) : null,
  user: null,
  tokens: null,
})

/** The user's own choice where it may be used, else the first factor that may. */
function primaryOf(user: User, methods: Challenged['methods']) {
  const chosen = user.mfa_method ?? 'totp'
  return methods[chosen] ? chosen : ((['passkey', 'totp', 'sms'] as const).find((method) => methods[method]) ?? chosen)
}
