import { AddressList } from '../../../lib/address-list.ts'
import { AppError } from '../../../platform/errors.ts'

/** What partner and organization settle about signing in, as the server goes by it. */
export interface SecurityPolicy {
  requireMfa: boolean
  /** Passkeys are always allowed. */
  allowedMethods: { totp: boolean; sms: boolean }
  graceDays: number
}

export const defaultGraceDays = 14
const longestGraceDays = 30

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const securityOf = (settings: string | null): Json => {
  const parsed: unknown = JSON.parse(settings ?? '{}')
  return isObject(parsed) && isObject(parsed.security) ? parsed.security : {}
}

/**
 * A value the partner has set wins and the organization fills the gaps, field by field; only `requireMfa` holds as
 * soon as either asks for it.
 */
export function securityPolicyOf(partnerSettings: string | null, organizationSettings: string | null): SecurityPolicy {
  const [partner, organization] = [securityOf(partnerSettings), securityOf(organizationSettings)]
  const effective = { ...organization, ...partner }
  const methods = isObject(effective.allowedMfaMethods) ? effective.allowedMfaMethods : {}
  const days = Number(effective.mfaEnrollmentGraceDays ?? defaultGraceDays)
  return {
    requireMfa: partner.requireMfa === true || organization.requireMfa === true,
    allowedMethods: { totp: methods.totp !== false, sms: methods.sms !== false },
    graceDays: Number.isInteger(days) ? Math.min(longestGraceDays, Math.max(0, days)) : defaultGraceDays,
  }
}

/** The partner's list, null while it is empty. What can not be read as a list closes the door instead of opening it. */
export function allowlistOf(partnerSettings: string | null): AddressList | null {
  try {
    const entries = securityOf(partnerSettings).ipAllowlist ?? []
    if (!Array.isArray(entries)) throw new Error('ipAllowlist is not a list')
    return entries.length === 0 ? null : new AddressList(entries.map(String))
  } catch (error) {
    throw new AppError('unavailable', {}, { cause: error })
  }
}
