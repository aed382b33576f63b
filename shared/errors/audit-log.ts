import type { Refusals } from './refusals.ts'

export const auditLogErrors = {
  audit_event_not_found: { status: 404, error: 'Audit log not found', onScreen: null },
} as const satisfies Refusals
