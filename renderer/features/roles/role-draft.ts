import type { RoleDetail, updateRole } from '../../../shared/api/roles.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { type Grant, grantName, type Permission } from '../../../shared/permissions.ts'

type Field = 'name' | 'description' | 'parentRoleId' | 'forceMfa'
export type RoleFields = Pick<RoleDetail, Field>

/** The unsaved changes of a role, kept apart from the role because that may change on the server. */
export interface RoleDraft {
  fields: Partial<RoleFields>
  /** Granted or removed. */
  permissions: Partial<Record<Permission, boolean>>
}

export const emptyDraft: RoleDraft = { fields: {}, permissions: {} }

const grantOf = (permission: string): Grant => {
  const [resource = '', action = ''] = permission.split(':')
  return { resource, action }
}

const holds = ({ permissions }: RoleDetail, permission: string) =>
  permissions.some((grant) => grantName(grant) === permission)

/** The changes that differ from the stored role. */
function changedParts(role: RoleDetail, { fields, permissions }: RoleDraft) {
  const isOther = ([field, value]: [string, unknown]) => role[field as Field] !== value
  const isTurned = ([permission, isWanted]: [string, boolean]) => holds(role, permission) !== isWanted
  return {
    fields: Object.entries(trimmed(fields)).filter(isOther),
    permissions: Object.entries(permissions).filter(isTurned),
  }
}

const trimmed = ({ name, description, ...rest }: Partial<RoleFields>): Partial<RoleFields> => ({
  ...rest,
  ...(name !== undefined && { name: name.trim() }),
  ...(description !== undefined && { description: description?.trim() || null }),
})

/** Number of unsaved changes. */
export function countChanges(role: RoleDetail, draft: RoleDraft): number {
  const { fields, permissions } = changedParts(role, draft)
  return fields.length + permissions.length
}

export const fieldsOf = (role: RoleDetail, { fields }: RoleDraft): RoleFields => ({ ...role, ...fields })

/** The role's own permissions once saved. */
export function permissionsOf(role: RoleDetail, draft: RoleDraft): Grant[] {
  const { permissions } = changedParts(role, draft)
  const isTaken = (grant: Grant) => permissions.some(([permission]) => permission === grantName(grant))
  const given = permissions.filter(([, isWanted]) => isWanted).map(([permission]) => grantOf(permission))
  return [...role.permissions.filter((grant) => !isTaken(grant)), ...given]
}

/** The request: all own permissions if one of them changes, because the API replaces them. */
export function bodyOf(role: RoleDetail, draft: RoleDraft): BodyOf<typeof updateRole> {
  const { fields, permissions } = changedParts(role, draft)
  return {
    ...Object.fromEntries(fields),
    ...(permissions.length > 0 && { permissions: permissionsOf(role, draft) }),
  }
}

export const withPermission = (draft: RoleDraft, permission: Permission, isWanted: boolean): RoleDraft => ({
  ...draft,
  permissions: { ...draft.permissions, [permission]: isWanted },
})

export const withFields = (draft: RoleDraft, fields: Partial<RoleFields>): RoleDraft => ({
  ...draft,
  fields: { ...draft.fields, ...fields },
})
