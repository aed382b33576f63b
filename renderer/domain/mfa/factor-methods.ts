import type { MfaMethod } from '../../../shared/api/auth.ts'
import type { enrollmentOptions } from '../../../shared/api/mfa.ts'
import type { Passkey } from '../../../shared/api/passkeys.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'

export type EnrollmentOptions = ReplyOf<typeof enrollmentOptions>
type AddableFactors = Pick<EnrollmentOptions, 'allowedMethods' | 'phoneConfigured'>

/** The factors that may be added. An account has an app or a phone; one replaces the other. */
export function addableFactors(primary: MfaMethod | null, { allowedMethods, phoneConfigured }: AddableFactors) {
  return {
    app: allowedMethods.totp && primary !== 'totp',
    phone: allowedMethods.sms && phoneConfigured && primary !== 'sms',
    passkey: allowedMethods.passkey,
  }
}

export const passkeysWorkAt = (host: string, { rpId }: Pick<Passkey, 'rpId'>): boolean =>
  host === rpId || host.endsWith(`.${rpId}`)

interface OwnFactors {
  primary: MfaMethod | null
  passkeys: Passkey[]
  allowed: EnrollmentOptions['allowedMethods']
}

/** Step-up methods that work for the user at this address, the easiest first. */
export function stepUpMethods(
  { primary, passkeys, allowed }: OwnFactors,
  host: string,
  hasPasskeys: boolean,
): MfaMethod[] {
  const isUsable = allowed.passkey && hasPasskeys && passkeys.some((passkey) => passkeysWorkAt(host, passkey))
  return [
    ...(isUsable ? (['passkey'] as const) : []),
    ...(primary === 'totp' && allowed.totp ? (['totp'] as const) : []),
    ...(primary === 'sms' && allowed.sms ? (['sms'] as const) : []),
  ]
}
