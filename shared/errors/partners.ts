export const partnersErrors = {
  partner_id_required: { status: 400, error: 'partnerId is required for system scope' },
  partner_context_required: { status: 400, error: 'Partner context required' },
  proxy_trust_required: {
    status: 400,
    error: 'Set TRUST_PROXY_HEADERS and TRUSTED_PROXY_CIDRS first, and come through that proxy',
  },
  psa_connection_required: {
    status: 400,
    error: 'External mode requires one of your partner-wide PSA connections',
  },
  service_mode_required: {
    status: 400,
    error: 'serviceManagementPsaConnectionId requires serviceManagementMode',
  },
  PARTNER_NOT_FOUND: { status: 403, error: 'Account not found' },
  full_partner_access_required: { status: 403, error: 'Full partner access required' },
  partner_policy_access_required: {
    status: 403,
    error: 'Modifying a partner-wide policy requires full partner org access (orgAccess must be "all")',
  },
  partner_access_denied: { status: 403, error: 'Access denied to this partner' },
  partner_not_found: { status: 404, error: 'Partner not found' },
  partner_slug_taken: { status: 409, error: 'That partner identifier is already in use' },
  inbound_local_part_taken: { status: 409, error: 'That inbound address is already in use' },
  inbound_local_part_invalid: {
    status: 422,
    error: 'An inbound address takes lower-case letters, digits and hyphens between them, at most 63',
  },
  inbound_local_part_reserved: { status: 422, error: 'That inbound address is reserved' },
  slug_space_exhausted: { status: 500, error: 'Unable to generate unique company identifier' },
  PARTNER_LOOKUP_UNAVAILABLE: { status: 503, error: 'Service temporarily unavailable' },
} as const
