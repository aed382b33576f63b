import type { Refusals } from './refusals.ts'

export const unusualChangesErrors = {
  unusual_change_not_found: {
    status: 404,
    error: 'Unusual change not found',
    onScreen: 'This change no longer exists.',
  },
  unusual_change_decided: {
    status: 409,
    error: 'This has been decided already',
    onScreen: 'Somebody has decided this already.',
  },
} as const satisfies Refusals
