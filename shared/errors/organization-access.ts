export const organizationAccessErrors = {
  org_id_required: { status: 400, error: 'orgId is required' },
  org_id_required_many: { status: 400, error: 'orgId is required when partner has multiple organizations' },
  org_id_query_required: { status: 400, error: 'orgId query parameter required' },
  org_access_denied: { status: 403, error: 'Access to this organization denied' },
  site_access_denied: { status: 403, error: 'Access to this site denied' },
  organization_not_found: { status: 404, error: 'Organization not found' },
  ORG_NOT_OPERABLE: { status: 409, error: 'The organization is not active' },
  ORG_LIFECYCLE_FROZEN: { status: 409, error: 'The organization can not be changed now' },
} as const
