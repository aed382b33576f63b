import { listSessions, refresh, revokeOtherSessions, revokeSession } from '../../../../shared/api/auth.ts'
import type { ErrorCode } from '../../../../shared/errors/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import { refreshCookie, type SessionCookies } from './cookies.ts'
import type { OwnSessions } from './own-sessions.ts'
import type { RefreshTokens } from './refresh-tokens.ts'
import { tokensView } from './token-pairs.ts'

interface Services {
  cookies: SessionCookies
  ownSessions: OwnSessions
  refreshTokens: RefreshTokens
}

export function sessionRoutes(http: Http, { cookies, ownSessions, refreshTokens }: Services): void {
  http.public(refresh, async ({ actor, request, reply }) => {
    try {
      const token = request.cookies[refreshCookie]
      if (!token) throw new AppError('invalid_refresh_token')
      cookies.assertSameSite(request)
      const issued = await refreshTokens.rotate(token, actor.origin)
      cookies.set(request, reply, issued)
      return { tokens: tokensView(issued) }
    } catch (error) {
      if (error instanceof AppError && endsSession(error)) cookies.clear(request, reply)
      throw error
    }
  })

  http.user(listSessions, ({ actor }) => ownSessions.list(actor))

  http.user(revokeSession, ({ actor, params, request, reply }) => {
    ownSessions.revoke(actor, params.id)
    if (params.id === actor.sessionId) cookies.clear(request, reply)
    return { success: true as const }
  })

  http.user(revokeOtherSessions, ({ actor }) => ({ success: true as const, revoked: ownSessions.revokeOthers(actor) }))
}

/** Refusals after which a retry may succeed: a moment later, or from another address. */
const temporaryRefusals: readonly ErrorCode[] = ['refresh_raced', 'IP_NOT_ALLOWED', 'untrusted_ip']

const endsSession = ({ code, status }: AppError): boolean =>
  !temporaryRefusals.includes(code) && (status === 401 || status === 403)
