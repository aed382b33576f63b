import type { RegisteredRouter } from '@tanstack/react-router'
import { api } from '../../lib/api.ts'
import { redeemSsoCode } from '../../lib/session.ts'

/**
 * Signs in with the one-time code that a single sign-on left behind the address, on whatever page, before the page is
 * drawn. A page that has a session already takes none.
 */
export async function arrive(router: RegisteredRouter): Promise<void> {
  // It may come later, too, where only the fragment of an open page changes.
  addEventListener('hashchange', async () => {
    if (await redeem(router)) await router.invalidate()
  })
  await redeem(router)
}

/** Whether there was a code to try. */
async function redeem(router: RegisteredRouter): Promise<boolean> {
  const code = takeCode()
  if (code === null || api.isSignedIn()) return false
  try {
    await redeemSsoCode(code)
  } catch {
    const next = location.pathname + location.search
    router.history.replace(router.buildLocation({ to: '/login', search: { error: 'sso_exchange_failed', next } }).href)
  }
  return true
}

/** Read once: it leaves the address bar, and with it the history, before anything is done with it. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('ssoCode')
  if (code !== null) history.replaceState(history.state, '', location.pathname + location.search)
  return code
}
