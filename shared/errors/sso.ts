import type { Refusals } from './refusals.ts'

export const ssoErrors = {
  sso_organization_required: {
    status: 400,
    error: 'Organization ID required',
    onScreen: 'Choose an organization first.',
  },
  sso_partner_scope_required: {
    status: 400,
    error: 'Partner scope required',
    onScreen: 'Only people of the company itself can do this.',
  },
  sso_partner_axis: {
    status: 400,
    error: 'Partner scope required for a partner-axis SSO provider',
    onScreen: 'Only people of the company itself can do this.',
  },
  oidc_issuer_required: {
    status: 400,
    error: 'An OIDC provider needs an issuer',
    onScreen: 'An identity provider needs an issuer.',
    field: 'issuer',
  },
  oidc_discovery_failed: {
    status: 400,
    error: 'OIDC discovery failed',
    onScreen: 'The identity provider could not be asked at this address, so nothing was saved.',
  },
  unsafe_endpoint: {
    status: 400,
    error: 'This address is not allowed',
    onScreen: 'An address can not be used, so nothing was saved.',
  },
  sso_role_not_of_organization: {
    status: 400,
    error: 'defaultRoleId must be an organization-scoped role belonging to this organization',
    onScreen: 'Choose a role that belongs to this organization itself.',
    field: 'defaultRoleId',
  },
  sso_role_not_of_partner: {
    status: 400,
    error: 'defaultRoleId must be a partner-scoped role belonging to your partner',
    onScreen: 'Choose a role that belongs to the company itself.',
    field: 'defaultRoleId',
  },
  sso_role_beyond_caller: {
    status: 400,
    error: 'The default role permits what you may not',
    onScreen: 'This role permits more than your own, so you can not give it to new people.',
    field: 'defaultRoleId',
  },
  sso_test_oidc_only: {
    status: 400,
    error: 'Only OIDC providers can be tested',
    onScreen: 'Only identity providers that speak OpenID Connect can be tested.',
  },
  sso_test_failed: {
    status: 400,
    error: 'OIDC discovery failed',
    onScreen: 'The identity provider could not be asked.',
  },
  sso_login_oidc_only: { status: 400, error: 'Only OIDC login is currently supported', onScreen: null },
  sso_link_oidc_only: {
    status: 400,
    error: 'Only OIDC linking is currently supported',
    onScreen: 'Nobody can sign in through a provider of this kind yet.',
  },
  sso_provider_incomplete: {
    status: 400,
    error: 'Provider is not fully configured',
    onScreen: 'Something is missing: enter the issuer first.',
  },
  sso_provider_invalid: {
    status: 400,
    error: 'SSO provider configuration is invalid',
    onScreen: 'The settings of this identity provider can not be used.',
  },
  sso_discovery_failed: { status: 400, error: 'OIDC discovery failed', onScreen: null },
  sso_exchange_invalid: { status: 400, error: 'Invalid or expired token exchange code', onScreen: null },
  sso_domain_invalid: {
    status: 400,
    error: 'Invalid domain',
    onScreen: 'Enter a domain, such as contoso.com.',
    field: 'domain',
  },
  sso_access_denied: { status: 403, error: 'Access denied', onScreen: 'This belongs to somebody else.' },
  sso_link_denied: {
    status: 403,
    error: 'You cannot link this SSO provider',
    onScreen: 'This identity provider is not one of the place you work in.',
  },
  sso_provider_not_found: {
    status: 404,
    error: 'Provider not found',
    onScreen: 'This identity provider does not exist any more.',
  },
  sso_domain_not_found: {
    status: 404,
    error: 'Domain not found',
    onScreen: 'This domain is not on the list any more.',
  },
  sso_identity_not_found: { status: 404, error: 'Identity not found', onScreen: 'It is disconnected already.' },
  sso_not_active_here: { status: 404, error: 'No active SSO provider for this organization', onScreen: null },
  sso_not_active_for_partner: { status: 404, error: 'No active SSO provider for this partner', onScreen: null },
  // With `address`: where the identity provider sends the browser back to.
  sso_link_elsewhere: {
    status: 409,
    error: 'Open the appliance at its own address to connect your account',
    onScreen: 'Open this page at {address}: identity providers send people back there.',
  },
  last_sign_in_method: {
    status: 409,
    error: 'This is the only way to sign in to your account',
    onScreen: 'Without it you could not sign in any more: you have neither a password nor another connection.',
  },
  sso_required: {
    status: 409,
    error: 'Your organization requires you to sign in through this provider',
    onScreen: 'Your organization asks you to sign in through this provider, so it has to stay connected.',
  },
  sso_rate_limited: {
    status: 429,
    error: 'Too many login attempts. Please try again later.',
    code: 'rate_limited',
    onScreen: null,
  },
} as const satisfies Refusals
