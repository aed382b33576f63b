import type { ContactRole } from '../../../shared/api/contacts.ts'

export const contactRoleNames: Record<ContactRole, string> = {
  billing: 'Billing',
  technical: 'Technical',
  escalation: 'Escalation',
  admin: 'Administration',
  site: 'On site',
  portal: 'Portal',
  after_hours: 'After hours',
}
