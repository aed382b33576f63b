import type { AssignableRole } from '../../../shared/api/people.ts'

/** What the roles that come with Homeport are for; whoever makes one says it themselves. */
const builtIn: Record<string, string> = {
  'Partner Admin': 'Everything: settings of the company, people and their roles, all devices.',
  'Partner Technician': 'Looks after devices: runs scripts on them, answers alerts. Changes no settings.',
  'Partner Viewer': 'Reads devices, scripts, alerts, reports and sites, and changes nothing.',
  'Partner Billing': 'Writes quotes, invoices and contracts. Sees no device.',
  'Partner Billing Viewer': 'Reads quotes, invoices and contracts, and changes nothing.',
  'Partner Security Approver': 'Decides which weak points of devices are put up with.',
  'Org Admin': 'Everything within the organization: its devices, sites and people.',
  'Org Technician': 'Looks after the devices of the organization: runs scripts on them, answers alerts.',
  'Org Viewer': 'Reads devices, alerts and reports of the organization, and changes nothing.',
  'Security Approver': 'Decides which weak points of devices are put up with.',
}

/** What a role is for, in a line; empty where nobody said. */
export const aboutRole = ({ name, description, isSystem }: AssignableRole): string =>
  description ?? (isSystem ? builtIn[name] : undefined) ?? ''
