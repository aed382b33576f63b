/** Every assignable permission, as the specification lists them: resource to actions. */
export const permissionCatalog = {
  backup: ['read', 'write', 'cross_site_restore'],
  devices: ['read', 'write', 'delete', 'execute'],
  agent_rollback: ['create'],
  topology: ['read', 'write'],
  scripts: ['read', 'write', 'delete', 'execute'],
  variables: ['read', 'manage'],
  alerts: ['read', 'write', 'acknowledge'],
  tickets: ['read', 'write', 'manage'],
  ticket_mailbox: ['read', 'admin'],
  catalog: ['read', 'write', 'delete'],
  invoices: ['read', 'write', 'send', 'export'],
  accounting: ['read', 'manage'],
  contracts: ['read', 'write', 'manage'],
  quotes: ['read', 'write', 'send', 'fulfill'],
  time_entries: ['read', 'write'],
  users: ['read', 'write', 'delete', 'invite'],
  organizations: ['read', 'write', 'delete'],
  sso: ['admin'],
  sites: ['read', 'write', 'delete'],
  automations: ['read', 'write', 'delete'],
  remote: ['access'],
  audit: ['read', 'export', 'manage'],
  reports: ['read', 'write', 'delete', 'export'],
  billing: ['manage'],
  vulnerabilities: ['accept_risk'],
  ai_sessions: ['read_all'],
  ai_agents: ['read', 'write'],
  approvals: ['decide'],
  pam: ['approve', 'manage_policy'],
  workspace: ['read', 'write', 'credentials', 'execute'],
  connected_apps: ['read', 'manage'],
} as const

type Catalog = typeof permissionCatalog
export type Permission = { [R in keyof Catalog]: `${R}:${Catalog[R][number]}` }[keyof Catalog]

/** What people call the parts of a permission: `See` and `Devices`. */
export const resourceLabels: Readonly<Record<keyof Catalog, string>> = {
  backup: 'Backup',
  devices: 'Devices',
  agent_rollback: 'Agent rollback',
  topology: 'Network map',
  scripts: 'Scripts',
  variables: 'Variables',
  alerts: 'Alerts',
  tickets: 'Tickets',
  ticket_mailbox: 'Ticket mailbox',
  catalog: 'Product catalog',
  invoices: 'Invoices',
  accounting: 'Accounting',
  contracts: 'Contracts',
  quotes: 'Quotes',
  time_entries: 'Time entries',
  users: 'People and roles',
  organizations: 'Organizations',
  sso: 'Single sign-on',
  sites: 'Sites',
  automations: 'Automations',
  remote: 'Remote control',
  audit: 'Audit log',
  reports: 'Reports',
  billing: 'Billing',
  vulnerabilities: 'Vulnerabilities',
  ai_sessions: 'AI sessions',
  ai_agents: 'AI agents',
  approvals: 'Approvals',
  pam: 'Admin rights on devices',
  workspace: 'Workspace',
  connected_apps: 'Connected apps',
}

export const actionLabels: Readonly<Record<Catalog[keyof Catalog][number], string>> = {
  read: 'View',
  read_all: 'View everyone’s',
  write: 'Add and change',
  create: 'Start',
  delete: 'Delete',
  execute: 'Run',
  manage: 'Manage',
  admin: 'Administer',
  manage_policy: 'Manage policies',
  invite: 'Invite',
  access: 'Connect',
  acknowledge: 'Acknowledge',
  approve: 'Approve',
  decide: 'Decide',
  accept_risk: 'Accept risks',
  send: 'Send',
  export: 'Export',
  fulfill: 'Fulfill',
  credentials: 'Use credentials',
  cross_site_restore: 'Restore to another site',
}

export interface Grant {
  resource: string
  action: string
}

/** Every permission that a role can give. */
export const assignableGrants: readonly Grant[] = Object.entries(permissionCatalog).flatMap(([resource, actions]) =>
  actions.map((action) => ({ resource, action })),
)

export const grantName = ({ resource, action }: Grant): string => `${resource}:${action}`

export const allPermissions = assignableGrants.map(grantName) as readonly Permission[]

/** Whether to hold the one is to hold the other: `*` on either side of what is held matches everything there. */
export const covers = (held: Grant, wanted: Grant): boolean =>
  (held.resource === '*' || held.resource === wanted.resource) && (held.action === '*' || held.action === wanted.action)

export const grantAllows = (grant: Grant, permission: Permission): boolean => {
  const [resource = '', action = ''] = permission.split(':')
  return covers(grant, { resource, action })
}
