import type { Refusals } from './refusals.ts'

export const partnersErrors = {
  partner_id_required: {
    status: 400,
    error: 'partnerId is required for system scope',
    onScreen: 'Choose a company first.',
  },
  partner_context_required: { status: 400, error: 'Partner context required', onScreen: null },
  proxy_trust_required: {
    status: 400,
    error: 'Set TRUST_PROXY_HEADERS and TRUSTED_PROXY_CIDRS first, and come through that proxy',
    onScreen:
      'The appliance can’t tell where requests come from yet. Set TRUST_PROXY_HEADERS and TRUSTED_PROXY_CIDRS on it, and open the console through that proxy.',
  },
  psa_connection_required: {
    status: 400,
    error: 'External mode requires one of your partner-wide PSA connections',
    onScreen: 'Choose a connection that belongs to the whole company.',
  },
  service_mode_required: {
    status: 400,
    error: 'serviceManagementPsaConnectionId requires serviceManagementMode',
    onScreen: 'Choose the mode together with the connection.',
  },
  PARTNER_NOT_FOUND: {
    status: 403,
    error: 'Account not found',
    onScreen: 'Your company’s account no longer exists.',
  },
  full_partner_access_required: {
    status: 403,
    error: 'Full partner access required',
    onScreen: 'Only people with access to all organizations can change this.',
  },
  partner_policy_access_required: {
    status: 403,
    error: 'Modifying a partner-wide policy requires full partner org access (orgAccess must be "all")',
    onScreen: 'Only people with access to all organizations of the company can change this.',
  },
  partner_access_denied: { status: 403, error: 'Access denied to this partner', onScreen: null },
  partner_not_found: { status: 404, error: 'Partner not found', onScreen: null },
  partner_slug_taken: {
    status: 409,
    error: 'That partner identifier is already in use',
    onScreen: 'Another company uses that short name.',
    field: 'slug',
  },
  inbound_local_part_taken: {
    status: 409,
    error: 'That inbound address is already in use',
    onScreen: 'That address is already in use.',
  },
  inbound_local_part_invalid: {
    status: 422,
    error: 'An inbound address takes lowercase letters, digits and hyphens between them, at most 63',
    onScreen: 'Use lowercase letters, digits and hyphens between them, at most 63.',
  },
  inbound_local_part_reserved: {
    status: 422,
    error: 'That inbound address is reserved',
    onScreen: 'That address is reserved for the operator of the mail server.',
  },
  slug_space_exhausted: { status: 500, error: 'Unable to generate unique company identifier', onScreen: null },
  PARTNER_LOOKUP_UNAVAILABLE: {
    status: 503,
    error: 'Service temporarily unavailable',
    onScreen: 'Homeport is busy. Try again in a moment.',
  },
} as const satisfies Refusals
