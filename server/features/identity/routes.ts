import type { FastifyReply, FastifyRequest } from 'fastify'
import * as auth from '../../../shared/api/auth.ts'
import { bootstrap, bootstrapState, setupComplete } from '../../../shared/api/system.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Bootstrap } from './bootstrap.ts'
import { refreshCookie, type SessionCookies } from './cookies.ts'
import type { Mfa } from './mfa.ts'
import type { Profile } from './profile.ts'
import { type Issued, type Sessions, tokensView } from './sessions.ts'
import { challengeView, requiresSetup, type SignIn, signedInView } from './sign-in.ts'
import type { User } from './store.ts'

interface Services {
  bootstrap: Bootstrap
  cookies: SessionCookies
  mfa: Mfa
  profile: Profile
  sessions: Sessions
  signIn: SignIn
}

/** A refusal after which the old cookies are worth keeping: the next try may succeed. */
const keepsCookies = new Set(['refresh_raced', 'rate_limited', 'unavailable'])

export function identityRoutes(
  http: Http,
  { bootstrap: first, cookies, mfa, profile, sessions, signIn }: Services,
): void {
  const welcome = (user: User, issued: Issued, request: FastifyRequest, reply: FastifyReply) => {
    cookies.set(request, reply, issued)
    return {
      mfaRequired: false as const,
      user: signedInView(user),
      tokens: tokensView(issued),
      requiresSetup: requiresSetup(user),
      mfaEnrollmentRequired: false,
    }
  }

  http.public(bootstrapState, () => ({ needed: first.isNeeded() }))

  http.public(bootstrap, async ({ actor, body, request, reply }) => {
    const { user, partner, issued } = await first.run(body, body.setupCode, actor.origin)
    cookies.set(request, reply, issued)
    return { user: signedInView(user), partner, tokens: tokensView(issued) }
  })

  http.user(setupComplete, ({ actor }) => {
    profile.completeSetup(actor)
    return { success: true as const }
  })

  http.public(auth.login, async ({ actor, body, request, reply }) => {
    const outcome = await signIn.withPassword(body.email, body.password, actor.origin)
    return 'tempToken' in outcome
      ? challengeView(outcome.user, outcome.tempToken)
      : welcome(outcome.user, outcome.issued, request, reply)
  })

  http.public(auth.mfaVerify, async ({ actor, body, request, reply }) => {
    const { user, issued } = await signIn.withCode(body.tempToken, body.code, actor.origin)
    return welcome(user, issued, request, reply)
  })

  http.public(auth.refresh, async ({ actor, request, reply }) => {
    try {
      const token = request.cookies[refreshCookie]
      if (!token) throw new AppError('invalid_refresh_token')
      cookies.assertSameSite(request)
      const issued = await sessions.rotate(token, actor.origin)
      cookies.set(request, reply, issued)
      return { tokens: tokensView(issued) }
    } catch (error) {
      if (error instanceof AppError && !keepsCookies.has(error.code)) cookies.clear(request, reply)
      throw error
    }
  })

  http.user(auth.logout, ({ actor, request, reply }) => {
    cookies.clear(request, reply)
    signIn.signOut(actor)
    return { success: true as const }
  })

  http.user(auth.authMe, ({ actor }) => profile.account(actor))
  http.user(auth.usersMe, ({ actor }) => profile.me(actor))
  http.user(auth.mfaSetup, ({ actor }) => mfa.setup(actor))

  http.user(auth.mfaEnable, async ({ actor, body, request, reply }) => {
    const { issued, recoveryCodes } = await mfa.enable(actor, body.code)
    cookies.set(request, reply, issued)
    return { success: true as const, recoveryCodes, tokens: tokensView(issued) }
  })
}
