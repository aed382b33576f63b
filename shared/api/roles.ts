import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, lineOfText, ok, pathId, textOfLines, uuid } from '../fields.ts'
import { tenantSelector } from './people.ts'

/** A permission that a role gives; `*` on either side stands for all there are. */
export const grant = z.object({ resource: z.string().max(100), action: z.string().max(50) })

export const role = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  scope: z.enum(['system', 'partner', 'organization']),
  /** Comes with the appliance; nobody changes or deletes it. */
  isSystem: z.boolean(),
  forceMfa: z.boolean(),
  parentRoleId: z.uuid().nullable(),
  parentRoleName: z.string().nullable(),
  /** The organization that owns it; null for the company's roles and for those of the appliance. */
  orgId: z.uuid().nullable(),
  orgName: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
  /** How many people of the tenant have it. */
  userCount: z.int(),
  /** How many roles of the tenant inherit from it directly. */
  childRoleCount: z.int(),
  /** How many identity providers give it to whom they bring; each belongs where the role belongs. */
  ssoProviderCount: z.int(),
})
export type RoleRow = z.infer<typeof role>

/** With the permissions of its own; those of its parents are told by `roles.effective`. */
export const roleDetail = role.extend({ permissions: z.array(grant) })
export type RoleDetail = z.infer<typeof roleDetail>

const roleName = lineOfText(100)
const description = textOfLines(1000).nullable()
const permissions = z.array(grant).max(1000)
const params = z.object({ id: pathId })

/**
 * A role is found in the tenant it belongs to. A partner that acts on a role of an organization names that organization
 * by `orgId`; otherwise `orgId` changes nothing.
 */
const byId = { params, query: tenantSelector }

export const listRoles = endpoint({
  name: 'roles.list',
  method: 'GET',
  path: '/roles',
  summary:
    'The roles of a tenant, those of the appliance first; `orgId` adds those an organization of the partner owns',
  access: userAccess('users:read'),
  query: tenantSelector,
  reply: z.object({ data: z.array(role) }),
})

export const createRole = endpoint({
  name: 'roles.create',
  method: 'POST',
  path: '/roles',
  summary: 'Create a role of the own tenant, or of an organization of the partner by `orgId`',
  access: userAccess('users:write', { mfa: 'session' }),
  query: tenantSelector,
  body: z.object({
    name: roleName,
    description: description.optional(),
    permissions: permissions.default([]),
    parentRoleId: uuid.nullish(),
    forceMfa: z.boolean().default(false),
    orgId: uuid.optional(),
    /** Callers of system scope. */
    partnerId: uuid.optional(),
  }),
  status: 201,
  reply: roleDetail,
  audit: 'role.create',
})

export const availablePermissions = endpoint({
  name: 'roles.available-permissions',
  method: 'GET',
  path: '/roles/permissions/available',
  summary: 'Every resource and every action a permission can be made of',
  access: userAccess('users:read'),
  reply: z.object({ resources: z.array(z.string()), actions: z.array(z.string()) }),
})

export const permissionCatalogue = endpoint({
  name: 'permissions.catalog',
  method: 'GET',
  path: '/permissions/catalog',
  summary: 'Every permission there is, with what it allows and what people call its parts',
  access: userAccess(),
  reply: z.object({
    permissions: z.array(grant.extend({ description: z.string() })),
    resourceLabels: z.record(z.string(), z.string()),
    actionLabels: z.record(z.string(), z.string()),
  }),
})

export const readRole = endpoint({
  name: 'roles.read',
  method: 'GET',
  path: '/roles/:id',
  summary: 'One role with the permissions of its own',
  access: userAccess('users:read'),
  ...byId,
  reply: roleDetail,
})

export const updateRole = endpoint({
  name: 'roles.update',
  method: 'PATCH',
  path: '/roles/:id',
  summary: 'Change a role; `permissions` replaces all of its own, a parent of null detaches it',
  access: userAccess('users:write', { mfa: 'session' }),
  ...byId,
  body: z.object({
    name: roleName.optional(),
    description: description.optional(),
    permissions: permissions.optional(),
    parentRoleId: uuid.nullable().optional(),
    forceMfa: z.boolean().optional(),
  }),
  reply: roleDetail,
  audit: 'role.update',
})

export const deleteRole = endpoint({
  name: 'roles.delete',
  method: 'DELETE',
  path: '/roles/:id',
  summary:
    'Delete a role that nobody has, none inherits from and no identity provider gives; else 400 with how many do',
  access: userAccess('users:delete', { mfa: 'session' }),
  ...byId,
  reply: ok,
  audit: 'role.delete',
})

export const cloneRole = endpoint({
  name: 'roles.clone',
  method: 'POST',
  path: '/roles/:id/clone',
  summary: 'Make a role of the tenant with all that another one permits, inherited permissions too',
  access: userAccess('users:write', { mfa: 'session' }),
  ...byId,
  body: z.object({ name: roleName }),
  status: 201,
  reply: roleDetail,
  audit: 'role.clone',
})

export const roleUsers = endpoint({
  name: 'roles.users',
  method: 'GET',
  path: '/roles/:id/users',
  summary: 'The people of the tenant who have a role',
  access: userAccess('users:read'),
  ...byId,
  reply: z.object({
    data: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        email: z.string(),
        status: z.enum(['active', 'invited', 'disabled']),
        lastLoginAt: instant.nullable(),
      }),
    ),
  }),
})

export const effectivePermissions = endpoint({
  name: 'roles.effective',
  method: 'GET',
  path: '/roles/:id/effective-permissions',
  summary: 'All that a role permits, and which role each permission comes from',
  access: userAccess('users:read'),
  ...byId,
  reply: z.object({
    roleId: z.uuid(),
    roleName: z.string(),
    /** The roles above it, its parent first. */
    inheritanceChain: z.array(z.object({ id: z.uuid(), name: z.string() })),
    permissions: z.array(grant.extend({ inherited: z.boolean(), sourceRoleId: z.uuid(), sourceRoleName: z.string() })),
  }),
})
