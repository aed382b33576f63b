import type { SsoErrorCode, SsoLinkErrorCode } from '../../../../shared/sso-codes.ts'

export type Phase =
  | 'provider_generation'
  | 'identity_provider'
  | 'email_verification'
  | 'domain_verification'
  | 'jit_default_role'
  | 'identity'

/** The part of a sign-in that refused, for the audit log; refusals without one are not recorded there. */
const phases: Partial<Record<SsoErrorCode, Phase>> = {
  sso_provider_inactive: 'provider_generation',
  sso_config_changed: 'provider_generation',
  tenant_inactive: 'provider_generation',
  sso_error: 'identity_provider',
  sso_provider_unverified: 'identity_provider',
  sso_no_id_token: 'identity_provider',
  sso_subject_mismatch: 'identity_provider',
  sso_no_subject: 'identity_provider',
  sso_email_unverified: 'email_verification',
  sso_domain_unverified: 'domain_verification',
  domain_not_allowed: 'domain_verification',
  default_role_required: 'jit_default_role',
  invalid_provider_configuration: 'jit_default_role',
  no_org_access: 'identity',
  no_partner_access: 'identity',
  invalid_role_scope: 'identity',
  invite_required: 'identity',
  identity_in_use: 'identity',
  sso_link_required: 'identity',
  user_not_found: 'identity',
  user_creation_failed: 'identity',
  account_inactive: 'identity',
}

/** Refuses a sign-in through an identity provider. The browser gets `code`; `reason` goes into the audit log. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: SsoErrorCode
  readonly reason: string

  constructor(code: SsoErrorCode, reason: string = code, options?: ErrorOptions) {
    super(`${code}: ${reason}`, options)
    this.code = code
    this.reason = reason
  }

  get phase(): Phase | undefined {
    return phases[this.code]
  }
}

const linkCodes: Partial<Record<SsoErrorCode, SsoLinkErrorCode>> = {
  sso_provider_inactive: 'provider_inactive',
  sso_config_changed: 'config_changed',
  tenant_inactive: 'tenant_inactive',
  sso_email_unverified: 'email_unverified',
  domain_not_allowed: 'domain_not_allowed',
  identity_in_use: 'identity_in_use',
}

/** The code for a refused connection of an account. */
export const linkErrorCodeOf = (code: SsoErrorCode): SsoLinkErrorCode => linkCodes[code] ?? 'sso_error'
