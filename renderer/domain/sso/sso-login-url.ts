import { safeNext } from '../../lib/safe-next.ts'

interface Errand {
  /** The page of the console to go on to. */
  next?: string | undefined
  /** Whom the identity provider may expect. */
  email?: string
  /** Asks the provider not to take a sign-in of before for an answer. */
  isAnew?: boolean
}

const ownAddress = /^\/api\/v1\/sso\/login\/(?:partner\/)?[\w-]+$/

/** Where a sign-in through an identity provider begins; null for an address that is not of this appliance. */
export function beginningOf(loginUrl: string, { next, email, isAnew }: Errand): string | null {
  if (!ownAddress.test(loginUrl)) return null
  const query = new URLSearchParams()
  const target = safeNext(next)
  if (target) query.set('redirect', target)
  if (email) query.set('login_hint', email)
  if (isAnew) query.set('prompt', 'login')
  return query.size > 0 ? `${loginUrl}?${query}` : loginUrl
}
