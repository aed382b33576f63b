import type { Limit } from '../../lib/limit.ts'

export const loginBrandingLimits = {
  // Every view of the sign-in page consumes one. Counted in memory, so that a view does not write.
  login_context: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
