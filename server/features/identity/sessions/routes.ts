import { refresh } from '../../../../shared/api/auth.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'
import { refreshCookie } from './cookies.ts'
import { tokensView } from './sessions.ts'

/** A refusal after which the old cookies are worth keeping: the next try may succeed. */
const keepsCookies = ({ code, status }: AppError) => code === 'refresh_raced' || status === 429 || status === 503

export function sessionRoutes(http: Http, { cookies, sessions }: IdentityServices): void {
  http.public(refresh, async ({ actor, request, reply }) => {
    try {
      const token = request.cookies[refreshCookie]
      if (!token) throw new AppError('invalid_refresh_token')
      cookies.assertSameSite(request)
      const issued = await sessions.rotate(token, actor.origin)
      cookies.set(request, reply, issued)
      return { tokens: tokensView(issued) }
    } catch (error) {
      if (error instanceof AppError && !keepsCookies(error)) cookies.clear(request, reply)
      throw error
    }
  })
}
