export const auditLogActions = {
  'audit_logs.export': 'Exported the audit log',
  'audit_logs.verify': 'Verified the audit log',
  'data.access': 'Viewed data',
  'organization.audit_retention.update': 'Changed audit log retention',
} as const
