import type { AuditFault } from '../../../shared/api/audit-log.ts'

/** What it means when a chain of events does not fit. */
export const faultWords: Record<AuditFault, string> = {
  changed: 'An event is not as it was written down.',
  missing: 'At least one event is gone.',
  added: 'There is an event that Homeport did not write.',
  seal: 'The record of where the chain begins and ends was not made by this Homeport.',
}
