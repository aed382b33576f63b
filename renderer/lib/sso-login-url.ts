import { safeNext } from './safe-next.ts'

interface LoginOptions {
  /** The page of the console to open afterwards. */
  next?: string | undefined
  /** Suggested to the identity provider as the account. */
  email?: string
  /** Asks the provider for a fresh sign-in instead of reusing its session. */
  forcesSignIn?: boolean
}

const ownLoginPath = /^\/api\/v1\/sso\/login\/(?:partner\/)?[\w-]+$/

/** The URL at which a sign-in through an identity provider starts; null if `loginUrl` is not a path of this appliance. */
export function ssoLoginUrl(loginUrl: string, { next, email, forcesSignIn }: LoginOptions): string | null {
  if (!ownLoginPath.test(loginUrl)) return null
  const query = new URLSearchParams()
  const target = safeNext(next)
  if (target) query.set('redirect', target)
  if (email) query.set('login_hint', email)
  if (forcesSignIn) query.set('prompt', 'login')
  return query.size > 0 ? `${loginUrl}?${query}` : loginUrl
}
