import { type ErrorCode, errorTable, wireCodeOf } from '../../shared/errors/index.ts'
import { ApiError, type ApiErrorCode } from './api-error.ts'
import { UserFacingError } from './user-facing-error.ts'

/** Console and server have different versions, or a proxy interferes. */
const versionMismatch = 'Homeport did not understand the request of this page. Reload it.'

/** Messages by code, where the text of the API is not good enough for users. */
const messageByCode: Partial<Record<ApiErrorCode, string>> = {
  network: 'Homeport does not answer. Check your connection to the appliance.',
  unexpected: 'The answer did not come from Homeport. A proxy in between may be in trouble.',
  internal: 'Homeport ran into an internal error. Its log tells more under the request id.',
  unavailable: 'Homeport is starting or busy. Try again in a moment.',
  mail_unavailable: 'This appliance can not send mail yet. Ask its administrator to set up a mail server.',
  validation_failed: 'Some fields need attention.',
  invalid_token: 'Your session has ended, so nothing was done.',
  invalid_credentials: 'E-mail or password is not right.',
  mfa_code_invalid: 'That code is not right. Each code works once, and not for long.',
  mfa_challenge_expired: 'The sign-in has expired. Start again with your password.',
  current_password_incorrect: 'That password is not right.',
  password_required: 'Enter your password to go on.',
  login_ip_not_allowed: 'Your company does not allow signing in from where you are.',
  IP_NOT_ALLOWED: 'Your company does not allow access from where you are.',
  untrusted_ip: 'Homeport can not tell where you are, and your company allows access from some places only.',
  mfa_setup_missing: 'The set-up has expired. Start it again.',
  no_pending_email: 'No change of your address is waiting any more.',
  mfa_not_enabled: 'Your account has no second factor.',
  mfa_method_missing: 'Your account answers with a passkey. Choose how to go on.',
  mfa_enrollment_required: 'Set up a second factor first.',
  mfa_enrollment_first: 'Set up a second factor first.',
  passkey_challenge_missing: 'That took too long. Try the passkey again.',
  passkey_not_offered: 'A passkey can not be used for this sign-in.',
  passkey_not_yours: 'That passkey belongs to another account.',
  no_passkey: 'Your account has no passkey.',
  phone_missing: 'Your account has no phone number.',
  phone_not_verified: 'Confirm the phone number first.',
  sms_unavailable: 'This appliance does not send text messages.',
  sms_not_configured: 'This appliance does not send text messages.',
  mail_not_configured: 'This appliance does not send mail. Ask its administrator.',
  mail_failed: 'The mail server did not take the message.',
  already_verified: 'Your address is confirmed already.',
  invalid_reset_token: 'This link does not work any more. Ask for a new one.',
  invalid_unlock_link: 'This link doesn’t work any more.',
  invalid_verification_link: 'This link does not work any more.',
  email_change_needs_factor: 'Set up a second factor or a password before you change the address.',
  mfa_policy_would_lock_out_users: 'Some people could not sign in any more: this is the only factor they have.',
  settings_locked: 'Your company has settled this for all its organizations.',
  partner_policy_access_required: 'Only people with access to all organizations of the company can change this.',
  psa_access_denied: 'You have no access to the connections of this organization.',
  psa_connection_not_found: 'This connection does not exist any more.',
  PSA_CONNECTION_IN_USE: 'Your company works with this connection. Choose another service desk first.',
  psa_sync_unavailable: 'Tickets can not be synchronized yet.',
  group_site_invalid: 'That site does not belong to the organization.',
  group_parent_missing: 'The group above it does not exist any more.',
  group_parent_below: 'A group can not stand below one of its own groups.',
  group_has_children: 'Other groups stand below this one. Move or delete them first.',
  group_filter_invalid: 'The rule of the group can not be read.',
  group_is_dynamic: 'This group fills itself by its rule. Pin a device to keep it in.',
  group_members_by_rule: 'This group fills itself by its rule. Change the rule to take a device out.',
  group_is_static: 'This group has no rule: its devices are put in by hand.',
  group_devices_invalid: 'Some of these devices do not belong to the organization or site of the group.',
  sign_in_again: 'Sign in again to go on.',
  membership_sign_in:
    'What you signed in with does not count in that place. Sign out, and sign in the way that place asks for.',
  last_sign_in_method: 'Without it you could not sign in any more: you have neither a password nor another connection.',
  sso_required: 'Your organization asks you to sign in through this provider, so it has to stay connected.',
  sso_password_closed: 'Your organization signs in through its identity provider: your password is changed there.',
  sso_email_closed: 'Your organization signs in through its identity provider: your address is changed there.',
  sso_reset_closed: 'Your organization signs in through its identity provider, so no password can be set here.',
  sso_invite_closed: 'Your organization signs in through its identity provider. Sign in through it instead.',
  sso_link_denied: 'This identity provider is not one of the place you work in.',
  sso_link_oidc_only: 'Nobody can sign in through a provider of this kind yet.',
  sso_identity_not_found: 'It is disconnected already.',
  PARTNER_INACTIVE: 'The account of your company is not active.',
  TENANT_INACTIVE: 'The account of your organization is not active.',
  PARTNER_NOT_FOUND: 'The account of your company does not exist any more.',
  registration_rate_limited: 'Too many tries.',
  PARTNER_LOOKUP_UNAVAILABLE: 'Homeport is busy. Try again in a moment.',
  MFA_REQUIRED: 'This needs your second factor.',
  existing_factor_step_up_required: 'Confirm with your second factor first.',
  mfa_proof_invalid: 'That was not accepted. Codes change every 30 seconds and work once.',
  mfa_already_enabled: 'Your account already has a second factor of this kind.',
  mfa_required_by_policy: 'Your company requires a second factor, so it can not be turned off.',
  last_factor: 'This is the last factor that your company accepts. Add another one first.',
  totp_not_allowed: 'Your company does not allow authenticator apps.',
  sms_not_allowed: 'Your company does not allow text messages as a second factor.',
  sms_failed: 'The text message could not be handed to its provider. Try again, or use another way.',
  passkey_origin: 'Passkeys do not work at this address.',
  passkey_refused:
    'This passkey is not known here, or may not be used. Take another one, or sign in with your password.',
  passkey_rejected: 'The appliance did not accept this passkey.',
  session_replacement_unavailable: 'This browser has lost its session cookie. Sign out and in again, then repeat this.',
  proxy_trust_required:
    'The appliance can not tell yet where requests come from. Set TRUST_PROXY_HEADERS and TRUSTED_PROXY_CIDRS on it, and open the console through that proxy.',
  full_partner_access_required: 'Only people with access to every organization may change this.',
  own_mfa_reset: 'You can not reset your own second factor.',
  setup_code_invalid:
    'The setup code is not right. After five wrong tries a new one is made: look in the terminal or in the file setup-code in the data folder.',
  already_bootstrapped: 'This appliance is already set up. Sign in instead.',
  insufficient_permissions: 'Your role does not allow this.',
  permission_denied: 'Your role does not allow this.',
  permission_not_held: 'Nobody can grant what their own role does not allow.',
  wildcard_in_custom_role:
    'A role made here can neither hold nor inherit everything there is. Copy the role, or choose permissions.',
  reach_wider_than_own: 'Nobody can give others more sites or device groups than they have themselves.',
  user_in_scope: 'This address belongs to somebody who is here already.',
  user_disabled: 'This account is disabled. Whoever runs this Homeport can enable it again.',
  user_not_found: 'This person is not here any more.',
  user_not_invited: 'The invitation was accepted, or withdrawn, in the meantime.',
  user_may_do_more:
    'This person may do more or reach further than you. Ask someone with at least the same role and access.',
  user_of_other_tenant:
    'This account belongs to others, too, so it is not yours to reset. Whoever runs this Homeport can do it.',
  role_not_of_scope: 'This role can not be given here.',
  own_role_change: 'Your own role can only be changed by somebody else.',
  full_partner_org_access_required:
    'Only people with access to all organizations of the company can look after people.',
  last_platform_admin: 'This is the last account that runs this Homeport.',
  membership_factor:
    'That place does not accept the second factor you signed in with. Sign out, and sign in with another one.',
  membership_unusable: 'That place is closed at the moment.',
  invitation_not_found: 'This invitation was withdrawn or has expired.',
  invitation_by_mail: 'Open the link in the invitation to accept or decline it.',
  invite_needs_sign_in: 'This address has an account already. Sign in to accept.',
  operator_without_tenant:
    'This account looks after the whole appliance and can’t belong to a company as well. Use another account there.',
  membership_not_found: 'You do not belong there any more.',
  picture_kind: 'Choose a PNG, JPEG or WebP image.',
  picture_broken: 'This image is damaged. Choose another one.',
  picture_too_large: 'This image has too many pixels. Choose a smaller one.',
  last_admin: 'This is the last full administrator. Make somebody else one first.',
  system_role_fixed: 'This role comes with Homeport and can not be changed. Copy it and change the copy.',
  system_role_stays: 'This role comes with Homeport and can not be deleted.',
  own_role_force_mfa: 'Set up a second factor first: your own role asks you for one.',
  role_not_found: 'This role does not exist any more.',
  role_parent_too_deep: 'Too many roles inherit from each other. Choose a role with fewer above it.',
  role_parent_circular: 'A role can not inherit from itself, nor from a role that inherits from it.',
  role_parent_missing: 'The role to inherit from does not exist any more.',
  role_parent_scope: 'A role of the company can not inherit from one of an organization, nor the other way round.',
  role_has_users: 'Some people still have this role. Give them another one first.',
  role_has_sso_providers: 'Single sign-on gives this role to new people. Choose another one there first.',
  role_has_children: 'Other roles inherit from this one. Let them inherit from another first.',
  no_permissions: 'No role is assigned to you.',
  platform_admin_required: 'Only a platform administrator may do this.',
  account_not_active: 'Your account is not active.',
  partner_slug_taken: 'Another company goes by that short name.',
  inbound_local_part_invalid: 'Use lower-case letters, digits and hyphens between them, at most 63.',
  inbound_local_part_reserved: 'That address is kept for the operator of the mail server.',
  inbound_local_part_taken: 'That address is already in use.',
  psa_connection_required: 'Choose a connection that belongs to the whole company.',
  service_mode_required: 'Choose the mode together with the connection.',
  slug_taken: 'That short name is already in use.',
  slug_reserved: 'That short name belongs to a deleted organization.',
  merge_name_mismatch: 'That is not the name of the organization to be merged away.',
  ORG_MERGE_TOO_LARGE: 'The organization has too many records to be merged.',
  merge_survivor_status: 'Only an active organization or one on trial can take another one in.',
  merge_loser_status: 'Only an organization that is active, on trial or suspended can be merged away.',
  ALREADY_PENDING: 'The same command is already waiting for this device.',
  command_finished: 'The command has already finished.',
  device_decommissioned_no_commands: 'A decommissioned device takes no commands.',
  malformed_json: versionMismatch,
  missing_csrf_header: versionMismatch,
  missing_csrf_cookie: versionMismatch,
  invalid_csrf_token: versionMismatch,
  invalid_origin: versionMismatch,
  cross_site_request: versionMismatch,
  partner_id_required: 'Choose a company first.',
  org_not_archivable: 'Only an organization that is active, on trial or suspended can be archived.',
  org_not_archived: 'The organization is not in the archive any more.',
  ORG_LIFECYCLE_FROZEN:
    'The organization is archived, being deleted, or part of a merge: nothing can be changed until that is over.',
  org_already_purging: 'This organization is being deleted for good and can not be brought back.',
  partner_required_to_archive: 'Organizations are archived by somebody of their own company.',
  org_id_query_required: 'Choose an organization first.',
  invalid_or_expired: 'This invitation does not work any more. Ask for a new one.',
  already_accepted: 'This invitation was accepted already. Sign in instead.',
  org_id_required: 'Choose an organization first.',
  org_id_required_many: 'Choose an organization first.',
  site_not_in_org: 'That site belongs to another organization.',
  expiry_past: 'Choose a moment that is still to come.',
  api_key_not_active: 'This key works no more, so it can not be changed.',
  api_key_revoked: 'This key is revoked already.',
  api_key_not_found: 'This key does not exist any more.',
  api_key_beyond_caller: 'This key can do more than you can, so you can only revoke it.',
  api_key_beyond_creator: 'Whoever made this key may not do that themselves. Make a key of your own.',
  api_key_without_creator: 'Whoever made this key may not do any more what it is for. It can only be revoked.',
  oidc_issuer_required: 'An identity provider needs an issuer.',
  oidc_discovery_failed: 'The identity provider could not be asked at this address, so nothing was saved.',
  unsafe_endpoint: 'An address can not be used, so nothing was saved.',
  sso_role_not_of_organization: 'Choose a role that belongs to this organization itself.',
  sso_role_not_of_partner: 'Choose a role that belongs to the company itself.',
  sso_role_beyond_caller: 'This role permits more than your own, so you can not give it to new people.',
  sso_test_oidc_only: 'Only identity providers that speak OpenID Connect can be tested.',
  sso_test_failed: 'The identity provider could not be asked.',
  sso_provider_incomplete: 'Something is missing: enter the issuer first.',
  sso_provider_invalid: 'The settings of this identity provider can not be used.',
  sso_domain_invalid: 'Enter a domain, such as contoso.com.',
  sso_access_denied: 'This belongs to somebody else.',
  sso_provider_not_found: 'This identity provider does not exist any more.',
  sso_domain_not_found: 'This domain is not on the list any more.',
  sso_organization_required: 'Choose an organization first.',
  sso_partner_scope_required: 'Only people of the company itself can do this.',
  sso_partner_axis: 'Only people of the company itself can do this.',
  tenant_offboarding: 'The account of this company is being closed.',
  rate_limited: 'Too many tries.',
  payload_too_large: 'That is too large to send.',
}

/** The row of the error table: refusals that share a code differ by status. */
function rowOf({ code, status }: ApiError): ApiErrorCode {
  const rows = Object.keys(errorTable) as ErrorCode[]
  return rows.find((row) => wireCodeOf(row) === code && errorTable[row].status === status) ?? code
}

/** The user is signed in and entered the current password wrongly. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof ApiError && rowOf(error) === 'current_password_incorrect'

/** One or two sentences about a failed call, without a stack or secrets. */
export function messageFor(error: unknown): string {
  if (error instanceof UserFacingError) return error.message
  if (!(error instanceof ApiError)) return 'Something went wrong in the console. Reloading the page may help.'
  const row = rowOf(error)
  const text =
    messageWithDetails(error) ??
    messageByCode[row] ??
    (row in errorTable ? errorTable[row as ErrorCode].error : error.message)
  return error.retryAfter && error.status === 429 ? `${text} Try again in ${waitText(error.retryAfter)}.` : text
}

/** Messages that include a number or address from the reply. */
function messageWithDetails({ code, body }: ApiError): string | undefined {
  if (code === 'sso_link_elsewhere' && typeof body.address === 'string')
    return `Open this page at ${body.address}: identity providers send people back there.`
  if (code !== 'ORGANIZATION_LIMIT_REACHED' || typeof body.maxOrganizations !== 'number') return undefined
  return `The company has as many organizations as it may have: ${body.maxOrganizations}, archived ones included. Whoever runs the platform can raise the limit.`
}

/** Waiting time, rounded up to a familiar unit. */
function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (seconds <= 10) return 'a few seconds'
  if (minutes === 1) return 'a minute'
  if (minutes < 60) return `${minutes} minutes`
  const hours = Math.ceil(minutes / 60)
  if (hours === 1) return 'an hour'
  return hours <= 48 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`
}

/** Errors that can only be about one field of any form. */
const fieldOf: Partial<Record<ApiErrorCode, string>> = {
  slug_taken: 'slug',
  slug_reserved: 'slug',
  partner_slug_taken: 'slug',
  user_in_scope: 'email',
  user_disabled: 'email',
  oidc_issuer_required: 'issuer',
  sso_role_not_of_organization: 'defaultRoleId',
  sso_role_not_of_partner: 'defaultRoleId',
  sso_role_beyond_caller: 'defaultRoleId',
  sso_domain_invalid: 'domain',
}

/** The first message of each field, for `form.setErrors`. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const field = fieldOf[rowOf(error)]
  if (field) return { [field]: messageFor(error) }
  return Object.fromEntries(Object.entries(error.fieldErrors).map(([name, messages]) => [name, messages[0] ?? '']))
}
