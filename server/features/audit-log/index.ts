export { createAuditLog } from './create-audit-log.ts'
export { isLastingInSql, LastingEvents } from './lasting-events.ts'
