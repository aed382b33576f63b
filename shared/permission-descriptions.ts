import { assignableGrants, type Grant, grantName, type Permission, type permissionCatalog } from './permissions.ts'

type Catalog = typeof permissionCatalog

/** What a permission allows, in one sentence. */
const descriptions: { readonly [R in keyof Catalog]: Readonly<Record<Catalog[R][number], string>> } = {
  backup: {
    read: 'View backup settings, jobs and snapshots.',
    write: 'Set up, run and restore backups.',
    cross_site_restore: 'Restore a backup to a device at another site.',
  },
  devices: {
    read: 'View devices, what they report, their commands and groups.',
    write: 'Change devices and device groups, approve or reject devices, and rotate their tokens.',
    delete: 'Decommission devices and delete them permanently.',
    execute: 'Send commands such as a restart to devices, and cancel them.',
  },
  agent_rollback: { create: 'Install an earlier agent version on devices.' },
  topology: { read: 'View the network map.', write: 'Change the network map.' },
  scripts: {
    read: 'View saved scripts.',
    write: 'Add and change saved scripts.',
    delete: 'Delete saved scripts.',
    execute: 'Run scripts on devices.',
  },
  variables: {
    read: 'View script variables.',
    manage: 'Add, change and delete script variables.',
  },
  alerts: {
    read: 'View alerts and alert rules.',
    write: 'Add and change alert rules.',
    acknowledge: 'Acknowledge alerts.',
  },
  tickets: {
    read: 'View tickets.',
    write: 'Create, answer and change tickets.',
    manage: 'Assign, merge and delete tickets, and configure how they’re handled.',
  },
  ticket_mailbox: {
    read: 'View the mailboxes that tickets come from.',
    admin: 'Set up the mailboxes that tickets come from.',
  },
  catalog: {
    read: 'View products and prices.',
    write: 'Add and change products and prices.',
    delete: 'Delete products.',
  },
  invoices: {
    read: 'View invoices.',
    write: 'Add and change invoices.',
    send: 'Send invoices to customers.',
    export: 'Download invoices.',
  },
  accounting: { read: 'View the accounting connection.', manage: 'Set up the accounting connection.' },
  contracts: {
    read: 'View contracts.',
    write: 'Add and change contracts.',
    manage: 'Start, renew and end contracts.',
  },
  quotes: {
    read: 'View quotes.',
    write: 'Add and change quotes.',
    send: 'Send quotes to customers.',
    fulfill: 'Turn accepted quotes into orders.',
  },
  time_entries: { read: 'View time entries.', write: 'Add and change time entries.' },
  users: {
    read: 'View people, their roles and permissions.',
    write: 'Change people’s roles and access, reset their second factor, and create and change roles.',
    delete: 'Remove people, and delete roles.',
    invite: 'Invite people.',
  },
  organizations: {
    read: 'View organizations, contacts, enrollment keys, API keys and ticket system connections.',
    write:
      'Add, change, archive, merge and delete organizations; change contacts, enrollment keys, API keys, identity providers and ticket system connections.',
    delete: 'Delete organizations.',
  },
  sso: { admin: 'Set up single sign-on: identity providers and email domains.' },
  sites: { read: 'View sites.', write: 'Add, change and delete sites.', delete: 'Delete sites.' },
  automations: {
    read: 'View automations.',
    write: 'Add and change automations.',
    delete: 'Delete automations.',
  },
  remote: { access: 'Connect to devices’ screens and files.' },
  audit: {
    read: 'View and search the audit log, and check its integrity.',
    export: 'Download the audit log.',
    manage: 'Set audit log retention.',
  },
  reports: {
    read: 'View reports.',
    write: 'Add and change reports.',
    delete: 'Delete reports.',
    export: 'Download reports.',
  },
  billing: { manage: 'Change the plan and its payment.' },
  vulnerabilities: { accept_risk: 'Accept the risk of a known vulnerability.' },
  ai_sessions: { read_all: 'View everyone’s AI assistant sessions.' },
  ai_agents: { read: 'View AI agents.', write: 'Add and change AI agents.' },
  approvals: { decide: 'Approve or deny pending approvals.' },
  pam: {
    approve: 'Approve requests for admin rights on a device.',
    manage_policy: 'Set who gets admin rights on devices, and when.',
  },
  workspace: {
    read: 'View files and notes in the workspace.',
    write: 'Add and change files and notes in the workspace.',
    credentials: 'Use credentials stored in the workspace.',
    execute: 'Run what’s stored in the workspace.',
  },
  connected_apps: { read: 'View connected apps.', manage: 'Connect and disconnect apps.' },
}

/** Every permission that a role can give, with what it allows. */
export const describedGrants = assignableGrants.map((grant) => ({
  ...grant,
  description: permissionDescription(grant),
}))

export const descriptionOf = (permission: Permission): string => {
  const [resource = '', action = ''] = permission.split(':')
  return permissionDescription({ resource, action })
}

/** Empty for what is not in the catalog. */
export function permissionDescription({ resource, action }: Grant): string {
  if (grantName({ resource, action }) === '*:*') return 'Everything, also what is new.'
  return (descriptions as Record<string, Record<string, string>>)[resource]?.[action] ?? ''
}
