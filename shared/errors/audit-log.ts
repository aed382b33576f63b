export const auditLogErrors = {
  audit_event_not_found: { status: 404, error: 'Audit log not found' },
} as const
