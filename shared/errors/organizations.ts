import type { Refusals } from './refusals.ts'

export const organizationsErrors = {
  partner_required_to_create_organizations: {
    status: 400,
    error: 'Partner context required to create organizations',
    onScreen: null,
  },
  settings_locked: {
    status: 403,
    error: 'These settings are set by the partner',
    onScreen: 'Your company has set this for all its organizations.',
  },
  organization_denied: { status: 403, error: 'Access denied', code: 'org_access_denied', onScreen: null },
  slug_taken: {
    status: 409,
    error: 'That organization slug is already in use',
    onScreen: 'That short name is already in use.',
    field: 'slug',
  },
  slug_reserved: {
    status: 409,
    error: 'That organization slug is still reserved by a deleted organization',
    onScreen: 'That short name belongs to a deleted organization.',
    field: 'slug',
  },
  ORGANIZATION_LIMIT_REACHED: {
    status: 409,
    error: 'Organization limit reached',
    onScreen:
      'The company has reached its limit of {maxOrganizations} organizations, including archived ones. The operator of the appliance can raise it.',
  },
} as const satisfies Refusals
