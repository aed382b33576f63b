export const organizationsErrors = {
  partner_required_to_create_organizations: { status: 400, error: 'Partner context required to create organizations' },
  settings_locked: { status: 403, error: 'These settings are set by the partner' },
  organization_denied: { status: 403, error: 'Access denied', code: 'org_access_denied' },
  slug_taken: { status: 409, error: 'That organization slug is already in use' },
  slug_reserved: { status: 409, error: 'That organization slug is still reserved by a deleted organization' },
  ORGANIZATION_LIMIT_REACHED: { status: 409, error: 'Organization limit reached' },
} as const
