import type { Refusals } from './refusals.ts'

export const sitesErrors = {
  site_not_found: { status: 404, error: 'Site not found', onScreen: null },
  SITE_NOT_EMPTY: { status: 409, error: 'Site still has devices', onScreen: null },
} as const satisfies Refusals
