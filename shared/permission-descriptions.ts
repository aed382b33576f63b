import { assignableGrants, type Grant, grantName, type Permission, type permissionCatalog } from './permissions.ts'

type Catalog = typeof permissionCatalog

/** What whoever holds a permission may do, in one sentence. */
const descriptions: { readonly [R in keyof Catalog]: Readonly<Record<Catalog[R][number], string>> } = {
  backup: {
    read: 'See backup settings, jobs and snapshots.',
    write: 'Set up, run and restore backups.',
    cross_site_restore: 'Restore a backup to a device of another site.',
  },
  devices: {
    read: 'See devices, what they report, their commands and their groups.',
    write: 'Change devices and device groups, let devices in or turn them away, and replace their tokens.',
    delete: 'Decommission devices and delete them for good.',
    execute: 'Send commands to devices, such as a restart, and cancel them.',
  },
  agent_rollback: { create: 'Put an earlier version of the agent on devices.' },
  topology: { read: 'See the map of the network.', write: 'Change the map of the network.' },
  scripts: {
    read: 'See saved scripts.',
    write: 'Add and change saved scripts.',
    delete: 'Delete saved scripts.',
    execute: 'Run scripts on devices.',
  },
  variables: {
    read: 'See the variables that scripts use.',
    manage: 'Add, change and delete the variables of scripts.',
  },
  alerts: {
    read: 'See alerts and their rules.',
    write: 'Add and change the rules of alerts.',
    acknowledge: 'Acknowledge alerts.',
  },
  tickets: {
    read: 'See tickets.',
    write: 'Open, answer and change tickets.',
    manage: 'Assign, merge and delete tickets, and set how they are handled.',
  },
  ticket_mailbox: {
    read: 'See the mailboxes that tickets come from.',
    admin: 'Set up the mailboxes that tickets come from.',
  },
  catalog: {
    read: 'See products and prices.',
    write: 'Add and change products and prices.',
    delete: 'Delete products.',
  },
  invoices: {
    read: 'See invoices.',
    write: 'Add and change invoices.',
    send: 'Send invoices to customers.',
    export: 'Download invoices.',
  },
  accounting: { read: 'See the connection to the accounts.', manage: 'Set up the connection to the accounts.' },
  contracts: {
    read: 'See contracts.',
    write: 'Add and change contracts.',
    manage: 'Start, renew and end contracts.',
  },
  quotes: {
    read: 'See quotes.',
    write: 'Add and change quotes.',
    send: 'Send quotes to customers.',
    fulfill: 'Turn accepted quotes into orders.',
  },
  time_entries: { read: 'See the times people have worked.', write: 'Add and change the times people have worked.' },
  users: {
    read: 'See people, their roles and what these permit.',
    write: 'Change the role and reach of people, reset their second factor, and make and change roles.',
    delete: 'Remove people, and delete roles.',
    invite: 'Invite people.',
  },
  organizations: {
    read: 'See organizations, contacts, enrollment keys, API keys and connections to ticket systems.',
    write:
      'Add, change, archive, merge and delete organizations; change contacts, enrollment keys, API keys, identity providers and connections to ticket systems.',
    delete: 'Delete organizations.',
  },
  sso: { admin: 'Set up single sign-on: identity providers and e-mail domains.' },
  sites: { read: 'See sites.', write: 'Add, change and delete sites.', delete: 'Delete sites.' },
  automations: {
    read: 'See automations.',
    write: 'Add and change automations.',
    delete: 'Delete automations.',
  },
  remote: { access: 'Connect to the screen and the files of devices.' },
  audit: {
    read: 'See and search the audit log, and check whether it is whole.',
    export: 'Download the audit log.',
    manage: 'Set how long events of the audit log are kept.',
  },
  reports: {
    read: 'See reports.',
    write: 'Add and change reports.',
    delete: 'Delete reports.',
    export: 'Download reports.',
  },
  billing: { manage: 'Change the plan and how it is paid for.' },
  vulnerabilities: { accept_risk: 'Accept the risk of a known vulnerability.' },
  ai_sessions: { read_all: 'See what everybody has asked the AI assistant.' },
  ai_agents: { read: 'See AI agents.', write: 'Add and change AI agents.' },
  approvals: { decide: 'Approve or refuse what asks for approval.' },
  pam: {
    approve: 'Approve requests for administrator rights on a device.',
    manage_policy: 'Set who gets administrator rights on devices, and when.',
  },
  workspace: {
    read: 'See files and notes of the workspace.',
    write: 'Add and change files and notes of the workspace.',
    credentials: 'Use the credentials kept in the workspace.',
    execute: 'Run what is kept in the workspace.',
  },
  connected_apps: { read: 'See connected apps.', manage: 'Connect apps and disconnect them.' },
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
  if (grantName({ resource, action }) === '*:*') return 'Do everything, also what later versions add.'
  return (descriptions as Record<string, Record<string, string>>)[resource]?.[action] ?? ''
}
