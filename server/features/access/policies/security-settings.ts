import { isObject } from '../../../../shared/objects.ts'
import { AddressList } from '../../../lib/address-list.ts'
import { AppError } from '../../../platform/errors.ts'

/** The security settings in force for a tenant, from those of its partner and its organization. */
export interface SecurityPolicy {
  requireMfa: boolean
  /** Passkeys are always allowed. */
  allowedMethods: { totp: boolean; sms: boolean }
  graceDays: number
}

export const defaultGraceDays = 14
const maxGraceDays = 30

type Json = Record<string, unknown>

const securityOf = (settings: string | null): Json => {
  const parsed: unknown = JSON.parse(settings ?? '{}')
  return isObject(parsed) && isObject(parsed.security) ? parsed.security : {}
}

/**
 * Merges settings field by field: a value the partner has set wins, the organization fills the gaps. `requireMfa` applies
 * as soon as either of them sets it.
 * @throws SyntaxError for settings that are not JSON
 */
export function securityPolicyOf(partnerSettings: string | null, organizationSettings: string | null): SecurityPolicy {
  const [partner, organization] = [securityOf(partnerSettings), securityOf(organizationSettings)]
  const effective = { ...organization, ...partner }
  const methods = isObject(effective.allowedMfaMethods) ? effective.allowedMfaMethods : {}
  const days = Number(effective.mfaEnrollmentGraceDays ?? defaultGraceDays)
  return {
    requireMfa: partner.requireMfa === true || organization.requireMfa === true,
    allowedMethods: { totp: methods.totp !== false, sms: methods.sms !== false },
    graceDays: Number.isInteger(days) ? Math.min(maxGraceDays, Math.max(0, days)) : defaultGraceDays,
  }
}

/**
 * The partner's list of allowed addresses; null while it is empty.
 * @throws AppError `unavailable` for a list that cannot be read, so that a broken one lets nobody in
 */
export function allowlistOf(partnerSettings: string | null): AddressList | null {
  try {
    const entries = securityOf(partnerSettings).ipAllowlist ?? []
    if (!Array.isArray(entries)) throw new Error('ipAllowlist is not a list')
    return entries.length === 0 ? null : new AddressList(entries.map(String))
  } catch (error) {
    throw new AppError('unavailable', {}, { cause: error })
  }
}
