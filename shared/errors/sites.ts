export const sitesErrors = {
  site_not_found: { status: 404, error: 'Site not found' },
  SITE_NOT_EMPTY: { status: 409, error: 'Site still has devices' },
} as const
