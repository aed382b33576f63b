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
    onScreen: 'The identity provider couldn’t be reached at this address, so nothing was saved.',
  },
  unsafe_endpoint: {
    status: 400,
    error: 'This address is not allowed',
    onScreen: 'An address can’t be used, so nothing was saved.',
  },
  sso_role_not_of_organization: {
    status: 400,
    error: 'defaultRoleId must be an organization-scoped role belonging to this organization',
    onScreen: 'Choose one of this organization’s own roles.',
    field: 'defaultRoleId',
  },
  sso_role_not_of_partner: {
    status: 400,
    error: 'defaultRoleId must be a partner-scoped role belonging to your partner',
    onScreen: 'Choose one of the company’s own roles.',
    field: 'defaultRoleId',
  },
  sso_role_beyond_caller: {
    status: 400,
    error: 'The default role permits what you may not',
    onScreen: 'This role has permissions yours doesn’t, so you can’t assign it to new people.',
    field: 'defaultRoleId',
  },
  sso_test_oidc_only: {
    status: 400,
    error: 'Only OIDC providers can be tested',
    onScreen: 'Only OpenID Connect providers can be tested.',
  },
  sso_test_failed: {
    status: 400,
    error: 'OIDC discovery failed',
    onScreen: 'The identity provider couldn’t be reached.',
  },
  sso_login_oidc_only: { status: 400, error: 'Only OIDC login is currently supported', onScreen: null },
  sso_link_oidc_only: {
    status: 400,
    error: 'Only OIDC linking is currently supported',
    onScreen: 'Nobody can sign in with this type of provider yet.',
  },
  sso_provider_incomplete: {
    status: 400,
    error: 'Provider is not fully configured',
    onScreen: 'Something is missing: enter the issuer first.',
  },
  sso_provider_invalid: {
    status: 400,
    error: 'SSO provider configuration is invalid',
    onScreen: 'The identity provider’s settings can’t be used.',
  },
  sso_discovery_failed: { status: 400, error: 'OIDC discovery failed', onScreen: null },
  sso_exchange_invalid: { status: 400, error: 'Invalid or expired token exchange code', onScreen: null },
  sso_domain_invalid: {
    status: 400,
    error: 'Invalid domain',
    onScreen: 'Enter a domain, for example contoso.com.',
    field: 'domain',
  },
  sso_access_denied: { status: 403, error: 'Access denied', onScreen: 'You don’t have access to this.' },
  sso_link_denied: {
    status: 403,
    error: 'You cannot link this SSO provider',
    onScreen: 'This identity provider isn’t available where you’re working.',
  },
  sso_provider_not_found: {
    status: 404,
    error: 'Provider not found',
    onScreen: 'This identity provider no longer exists.',
  },
  sso_domain_not_found: {
    status: 404,
    error: 'Domain not found',
    onScreen: 'This domain is no longer on the list.',
  },
  sso_identity_not_found: { status: 404, error: 'Identity not found', onScreen: 'Already disconnected.' },
  sso_not_active_here: { status: 404, error: 'No active SSO provider for this organization', onScreen: null },
  sso_not_active_for_partner: { status: 404, error: 'No active SSO provider for this partner', onScreen: null },
  // With `address`: where the identity provider sends the browser back to.
  sso_link_elsewhere: {
    status: 409,
    error: 'Open the appliance at its own address to connect your account',
    onScreen: 'Open this page at {address}: identity providers redirect there.',
  },
  last_sign_in_method: {
    status: 409,
    error: 'This is the only way to sign in to your account',
    onScreen: 'This is your only way to sign in: you have neither a password nor another connection.',
  },
  sso_required: {
    status: 409,
    error: 'Your organization requires you to sign in through this provider',
    onScreen: 'Your organization requires this provider for sign-in, so it has to stay connected.',
  },
  sso_rate_limited: {
    status: 429,
    error: 'Too many login attempts. Please try again later.',
    code: 'rate_limited',
    onScreen: null,
  },
} as const satisfies Refusals
