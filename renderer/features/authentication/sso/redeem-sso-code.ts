import type { RegisteredRouter } from '@tanstack/react-router'
import { api } from '../../../lib/api.ts'
import { redeemSsoCode } from '../../../lib/session.ts'

/**
 * Redeems the one-time code that a single sign-on left in the URL hash, on any page, before anything is rendered.
 * Null if there is no code or a session exists already.
 */
export function redeemSsoCodeInUrl(router: RegisteredRouter): Promise<void> | null {
  // The hash of an open page can change too.
  addEventListener('hashchange', () => void redeem(router)?.then(() => router.invalidate()))
  return redeem(router)
}

function redeem(router: RegisteredRouter): Promise<void> | null {
  const code = takeCode()
  if (code === null || api.isSignedIn()) return null
  return redeemSsoCode(code).catch(() => {
    const search = { error: 'sso_exchange_failed', next: location.pathname + location.search }
    router.history.replace(router.buildLocation({ to: '/login', search }).href)
  })
}

/** Read once: the code leaves the address bar and the history before it is used. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('ssoCode')
  if (code !== null) history.replaceState(history.state, '', location.pathname + location.search)
  return code
}
