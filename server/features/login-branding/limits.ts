import type { Limit } from '../../lib/limit.ts'

export const loginBrandingLimits = {
  // Every look at the sign-in page takes one; kept in memory, so that a look writes nothing.
  login_context: { max: 30, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
