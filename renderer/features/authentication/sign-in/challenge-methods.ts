import { isLoopback } from '../../../../shared/host-names.ts'
import type { Challenge } from '../../../lib/session.ts'

/** How a challenge may be answered. */
export type ChallengeMethod = 'totp' | 'sms' | 'passkey' | 'recovery'

/** The methods that work here, the preferred one first and recovery codes last. */
export function challengeMethods(challenge: Challenge, canUsePasskeys: boolean): ChallengeMethod[] {
  const { allowedMethods, mfaMethod, recoveryAvailable } = challenge
  const usable = { ...allowedMethods, passkey: allowedMethods.passkey && canUsePasskeys }
  const methods = ([mfaMethod, 'totp', 'sms', 'passkey'] as const).filter(
    (method, index, all) => usable[method] && all.indexOf(method) === index,
  )
  return recoveryAvailable ? [...methods, 'recovery'] : methods
}

/** Without `localhost` for a browser on another machine, where that would be the machine itself. */
export const hostsReachableFrom = (currentHost: string, hosts: readonly string[]): string[] =>
  hosts.filter((host) => isLoopback(currentHost) || !isLoopback(host))

/** The login page at another host name of the appliance, at which a passkey works. */
export function loginUrlAt(host: string, here: URL): string {
  const url = new URL(`/login${here.search}`, here)
  url.hostname = host
  // Browsers require HTTPS for passkeys, except on localhost.
  if (!/(^|\.)localhost$/.test(host)) url.protocol = 'https:'
  return url.href
}
