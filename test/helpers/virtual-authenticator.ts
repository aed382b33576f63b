import type { Page } from 'playwright'
import { undoOnLeave } from '../browser/context.ts'

export interface VirtualAuthenticator extends AsyncDisposable {
  /** Base64 ids of the passkeys it holds. */
  credentialIds(): Promise<string[]>
  /** Whether its user passes the fingerprint from now on. */
  setUserVerified(isUserVerified: boolean): Promise<void>
  /** Whether its user is there to touch it; at first they are, also for a page that only suggests passkeys. */
  setUserPresent(isUserPresent: boolean): Promise<void>
}

/**
 * The fingerprint reader of a laptop, as Chromium simulates it: keeps passkeys, verifies its user, and touches itself.
 * It is there for the page and whatever the page navigates to.
 */
export async function virtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  let isThere = true
  const remove = async () => {
    if (!isThere) return
    isThere = false
    await devTools.send('WebAuthn.disable')
    await devTools.detach()
  }
  undoOnLeave(page, remove)
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    credentialIds: async () => {
      const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ credentialId }) => credentialId)
    },
    setUserVerified: (isUserVerified) =>
      devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }).then(() => {}),
    setUserPresent: (enabled) =>
      devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }).then(() => {}),
    [Symbol.asyncDispose]: remove,
  }
}
