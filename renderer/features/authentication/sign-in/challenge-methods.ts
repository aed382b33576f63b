import type { Challenge } from '../../../lib/session.ts'

/** How a challenge may be answered. */
export type ChallengeMethod = 'totp' | 'sms' | 'passkey' | 'recovery'

/** What can be used here and now, the way the account prefers first and the recovery codes last. */
export function challengeMethods(challenge: Challenge, canUsePasskeys: boolean): ChallengeMethod[] {
  const { allowedMethods, mfaMethod, recoveryAvailable } = challenge
  const usable = { ...allowedMethods, passkey: allowedMethods.passkey && canUsePasskeys }
  const methods = ([mfaMethod, 'totp', 'sms', 'passkey'] as const).filter(
    (method, index, all) => usable[method] && all.indexOf(method) === index,
  )
  return recoveryAvailable ? [...methods, 'recovery'] : methods
}

/** The same page at another name of the appliance, where a passkey works. */
export function loginUrlAt(host: string, here: URL): string {
  const url = new URL(`/login${here.search}`, here)
  url.hostname = host
  // Elsewhere than on the machine itself, browsers want an encrypted connection for it.
  if (!/(^|\.)localhost$/.test(host)) url.protocol = 'https:'
  return url.href
}
