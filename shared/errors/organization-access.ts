import type { Refusals } from './refusals.ts'

export const organizationAccessErrors = {
  org_id_required: { status: 400, error: 'orgId is required', onScreen: 'Choose an organization first.' },
  org_id_required_many: {
    status: 400,
    error: 'orgId is required when partner has multiple organizations',
    onScreen: 'Choose an organization first.',
  },
  org_id_query_required: {
    status: 400,
    error: 'orgId query parameter required',
    onScreen: 'Choose an organization first.',
  },
  org_access_denied: { status: 403, error: 'Access to this organization denied', onScreen: null },
  site_access_denied: { status: 403, error: 'Access to this site denied', onScreen: null },
  organization_not_found: { status: 404, error: 'Organization not found', onScreen: null },
  ORG_NOT_OPERABLE: { status: 409, error: 'The organization is not active', onScreen: null },
  ORG_LIFECYCLE_FROZEN: {
    status: 409,
    error: 'The organization cannot be changed now',
    onScreen:
      'The organization is archived, being deleted or part of a merge. It can’t be changed until that’s finished.',
  },
} as const satisfies Refusals
