import { randomUUIDv7 } from 'node:crypto'
import { permissionDescription } from '../../../../shared/permission-descriptions.ts'
import { allPermissions, type permissionCatalog } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'

type Actions = Partial<{ [R in keyof typeof permissionCatalog]: readonly (typeof permissionCatalog)[R][number][] }>

interface BuiltInRole {
  name: string
  /** What it permits today, shown where roles are assigned; `Not used yet` where that is nothing. */
  description: string
  scope: 'partner' | 'organization'
  forceMfa?: true
  grants: '*' | Actions
}

const read = ['read'] as const
const adminDescription = 'Full access to the company.'

/** Roles that every appliance has and no tenant owns. */
export const builtInRoles: readonly BuiltInRole[] = [
  { name: 'Partner Admin', description: adminDescription, scope: 'partner', forceMfa: true, grants: '*' },
  {
    name: 'Partner Technician',
    description: 'View-only access to organizations and sites; runs commands and scripts on devices.',
    scope: 'partner',
    grants: {
      backup: ['read', 'write'],
      devices: ['read', 'execute'],
      scripts: ['read', 'execute'],
      alerts: ['read', 'acknowledge'],
      tickets: read,
      ticket_mailbox: read,
      reports: ['read', 'write'],
      sites: read,
      topology: read,
      organizations: read,
    },
  },
  {
    name: 'Partner Viewer',
    description: 'View-only access to organizations, sites and devices.',
    scope: 'partner',
    grants: {
      devices: read,
      scripts: read,
      alerts: read,
      tickets: read,
      ticket_mailbox: read,
      reports: read,
      sites: read,
      organizations: read,
    },
  },
  {
    name: 'Partner Billing',
    description: 'Not used yet: for quotes, contracts and invoices. No access to devices.',
    scope: 'partner',
    grants: {
      catalog: ['read', 'write', 'delete'],
      quotes: ['read', 'write', 'send'],
      invoices: ['read', 'write', 'send', 'export'],
      contracts: ['read', 'write', 'manage'],
    },
  },
  {
    name: 'Partner Billing Viewer',
    description: 'Not used yet: for viewing quotes, contracts and invoices.',
    scope: 'partner',
    grants: { catalog: read, quotes: read, invoices: ['read', 'export'], contracts: read },
  },
  {
    name: 'Partner Security Approver',
    description: 'View-only access to organizations and devices.',
    scope: 'partner',
    grants: { devices: read, organizations: read, vulnerabilities: ['accept_risk'] },
  },
  {
    name: 'Org Admin',
    description: 'Full access to one organization: people, sites, devices and scripts.',
    scope: 'organization',
    grants: {
      backup: ['read', 'write', 'cross_site_restore'],
      devices: ['read', 'write', 'delete', 'execute'],
      scripts: ['read', 'write', 'delete', 'execute'],
      alerts: ['read', 'write', 'acknowledge'],
      tickets: ['read', 'write', 'manage'],
      reports: ['read', 'write', 'delete', 'export'],
      users: ['read', 'write', 'delete', 'invite'],
      sites: ['read', 'write', 'delete'],
      topology: ['read', 'write'],
      remote: ['access'],
      audit: read,
      vulnerabilities: ['accept_risk'],
      ai_sessions: ['read_all'],
      approvals: ['decide'],
      variables: ['read', 'manage'],
      pam: ['approve', 'manage_policy'],
      accounting: ['read', 'manage'],
      workspace: ['read', 'write', 'credentials', 'execute'],
      connected_apps: ['read', 'manage'],
    },
  },
  {
    name: 'Org Technician',
    description: 'Manages one organization’s devices.',
    scope: 'organization',
    grants: {
      devices: ['read', 'write', 'execute'],
      scripts: ['read', 'execute'],
      alerts: ['read', 'acknowledge'],
      tickets: read,
      reports: ['read', 'write'],
      sites: read,
      topology: ['read', 'write'],
      remote: ['access'],
      variables: read,
    },
  },
  {
    name: 'Org Viewer',
    description: 'View-only access to one organization.',
    scope: 'organization',
    grants: { devices: read, scripts: read, alerts: read, tickets: read, reports: read, sites: read, topology: read },
  },
  {
    name: 'Security Approver',
    description: 'View-only access to one organization’s devices.',
    scope: 'organization',
    grants: { devices: read, vulnerabilities: ['accept_risk'] },
  },
]

/**
 * Creates the permission catalog and the built-in roles where they are missing, and brings their descriptions up to date;
 * at most starts there is nothing to write.
 */
export function seedRoles(db: Database, now: string): void {
  db.transaction(() => {
    const idOf = seedPermissions(db)
    const stored = db.all(
      q
        .selectFrom('roles')
        .select(['id', 'name', 'scope', 'description', 'partner_id', 'org_id'])
        .where('is_system', '=', 1),
    )
    const granted = new Set(storedGrants(db).map(({ role_id, permission_id }) => `${role_id} ${permission_id}`))
    for (const role of builtInRoles) {
      const named = stored.filter(({ name, scope }) => name === role.name && scope === role.scope)
      const ofNobody = named.find(({ partner_id, org_id }) => partner_id === null && org_id === null)
      const roleId = ofNobody?.id ?? insertRole(db, role, now)
      if (named.some(({ description }) => description !== role.description)) describe(db, role)
      const missing = grantedPermissions(role)
        .map((permission) => ({ role_id: roleId, permission_id: idOf(permission) }))
        .filter(({ role_id, permission_id }) => !granted.has(`${role_id} ${permission_id}`))
      if (missing.length > 0) db.run(q.insertInto('role_permissions').values(missing))
    }
  })
}

const storedGrants = (db: Database) =>
  db.all(
    q
      .selectFrom('role_permissions')
      .innerJoin('roles', 'roles.id', 'role_id')
      .select(['role_id', 'permission_id'])
      .where('is_system', '=', 1),
  )

/** The administrator role of a partner that registered itself: a `Partner Admin` of its own beside the built-in one. */
export function createOwnAdminRole(db: Database, id: string, partnerId: string, now: string): void {
  const [name, scope] = ['Partner Admin', 'partner'] as const
  db.run(
    q.insertInto('roles').values({
      id,
      partner_id: partnerId,
      scope,
      name,
      description: adminDescription,
      is_system: 1,
      force_mfa: 1,
      created_at: now,
      updated_at: now,
    }),
  )
  const everything = db.one(q.selectFrom('permissions').select('id').where('resource', '=', '*'))
  db.run(q.insertInto('role_permissions').values({ role_id: id, permission_id: everything.id }))
}

export function findBuiltInRole(db: Database, name: string, scope: 'partner' | 'organization'): string | undefined {
  return db.first(
    q
      .selectFrom('roles')
      .select('id')
      .where('name', '=', name)
      .where('scope', '=', scope)
      .where('partner_id', 'is', null)
      .where('org_id', 'is', null),
  )?.id
}

export const grantedPermissions = ({ grants }: BuiltInRole): string[] =>
  grants === '*'
    ? ['*:*']
    : Object.entries(grants).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

/** @returns a function from the name of a permission, such as `devices:read`, to its id */
function seedPermissions(db: Database): (permission: string) => string {
  const stored = new Map(
    db.all(q.selectFrom('permissions').selectAll()).map((row) => [`${row.resource}:${row.action}`, row]),
  )
  const ids = new Map<string, string>()
  for (const permission of ['*:*', ...allPermissions]) {
    const [resource = '', action = ''] = permission.split(':')
    const description = permissionDescription({ resource, action })
    const known = stored.get(permission)
    const id = known?.id ?? randomUUIDv7()
    if (!known) db.run(q.insertInto('permissions').values({ id, resource, action, description }))
    else if (known.description !== description)
      db.run(q.updateTable('permissions').set({ description }).where('id', '=', id))
    ids.set(permission, id)
  }
  return (permission) => {
    const id = ids.get(permission)
    if (id === undefined) throw new Error(`The permission catalog has no ${permission}`)
    return id
  }
}

/** Also for a partner's own `Partner Admin`. Nobody can edit these, so what older versions stored is brought up to date. */
function describe(db: Database, { name, scope, description }: BuiltInRole): void {
  db.run(
    q
      .updateTable('roles')
      .set({ description })
      .where('is_system', '=', 1)
      .where('name', '=', name)
      .where('scope', '=', scope)
      .where('description', 'is not', description),
  )
}

function insertRole(db: Database, role: BuiltInRole, now: string): string {
  const id = randomUUIDv7()
  db.run(
    q.insertInto('roles').values({
      id,
      scope: role.scope,
      name: role.name,
      description: role.description,
      is_system: 1,
      force_mfa: role.forceMfa ? 1 : 0,
      created_at: now,
      updated_at: now,
    }),
  )
  return id
}
