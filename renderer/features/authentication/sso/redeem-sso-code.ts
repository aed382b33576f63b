import type { RegisteredRouter } from '@tanstack/react-router'
import { api } from '../../../lib/api.ts'
import { redeemSsoCode } from '../../../lib/session.ts'

/**
 * Signs in with the one-time code that a single sign-on left behind the address, on whatever page: nothing is drawn
 * until it is known what comes of it. Null where there is no code; a page that has a session already takes none.
 */
export function redeemSsoCodeInUrl(router: RegisteredRouter): Promise<void> | null {
  // It may come later, too, where only the fragment of an open page changes.
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

/** Read once: it leaves the address bar, and with it the history, before anything is done with it. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('ssoCode')
  if (code !== null) history.replaceState(history.state, '', location.pathname + location.search)
  return code
}
