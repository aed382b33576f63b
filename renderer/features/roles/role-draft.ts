import type { RoleDetail, updateRole } from '../../../shared/api/roles.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { type Grant, grantName, type Permission } from '../../../shared/permissions.ts'

type Field = 'name' | 'description' | 'parentRoleId' | 'forceMfa'
export type Fields = Pick<RoleDetail, Field>

/** What somebody wants of a role, apart from what it is: that may change meanwhile, and the wish stays the same. */
export interface Draft {
  fields: Partial<Fields>
  /** Ticked or unticked. */
  permissions: Partial<Record<Permission, boolean>>
}

export const nothing: Draft = { fields: {}, permissions: {} }

const grantOf = (permission: string): Grant => {
  const [resource = '', action = ''] = permission.split(':')
  return { resource, action }
}

const holds = ({ permissions }: RoleDetail, permission: string) =>
  permissions.some((grant) => grantName(grant) === permission)

/** Leaves out what the role is already. */
function wished(role: RoleDetail, { fields, permissions }: Draft) {
  const isOther = ([field, value]: [string, unknown]) => role[field as Field] !== value
  const isTurned = ([permission, isWanted]: [string, boolean]) => holds(role, permission) !== isWanted
  return {
    fields: Object.entries(tidy(fields)).filter(isOther),
    permissions: Object.entries(permissions).filter(isTurned),
  }
}

const tidy = ({ name, description, ...rest }: Partial<Fields>): Partial<Fields> => ({
  ...rest,
  ...(name !== undefined && { name: name.trim() }),
  ...(description !== undefined && { description: description?.trim() || null }),
})

/** How many changes there are to save. */
export function changesIn(role: RoleDetail, draft: Draft): number {
  const { fields, permissions } = wished(role, draft)
  return fields.length + permissions.length
}

export const fieldsOf = (role: RoleDetail, { fields }: Draft): Fields => ({ ...role, ...fields })

/** The permissions of its own, once it is saved. */
export function permissionsOf(role: RoleDetail, draft: Draft): Grant[] {
  const { permissions } = wished(role, draft)
  const isTaken = (grant: Grant) => permissions.some(([permission]) => permission === grantName(grant))
  const given = permissions.filter(([, isWanted]) => isWanted).map(([permission]) => grantOf(permission))
  return [...role.permissions.filter((grant) => !isTaken(grant)), ...given]
}

/** What to send: all its own permissions if one of them changes, for they replace what there is. */
export function bodyOf(role: RoleDetail, draft: Draft): BodyOf<typeof updateRole> {
  const { fields, permissions } = wished(role, draft)
  return {
    ...Object.fromEntries(fields),
    ...(permissions.length > 0 && { permissions: permissionsOf(role, draft) }),
  }
}

export const turn = (draft: Draft, permission: Permission, isWanted: boolean): Draft => ({
  ...draft,
  permissions: { ...draft.permissions, [permission]: isWanted },
})

export const withFields = (draft: Draft, fields: Partial<Fields>): Draft => ({
  ...draft,
  fields: { ...draft.fields, ...fields },
})
