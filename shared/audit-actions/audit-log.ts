export const auditLogActions = {
  'audit_logs.export': 'Exported the audit log',
  'audit_logs.verify': 'Had the audit log checked',
  'data.access': 'Looked at data',
  'organization.audit_retention.update': 'Changed how long the log is kept',
} as const
