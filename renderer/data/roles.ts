import { queryOptions } from '@tanstack/react-query'
import { listUserRoles } from '../../shared/api/people.ts'
import {
  cloneRole,
  createRole,
  deleteRole,
  effectivePermissions,
  listRoles,
  type RoleDetail,
  type RoleRow,
  readRole,
  roleUsers,
  updateRole,
} from '../../shared/api/roles.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { roleName, withRoleNames } from '../lib/built-in-roles.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'

export const roleKey = ['roles'] as const

/** Without the permission to read the audit log there are no live events, so the data is refetched on focus. */
const alwaysStale = { staleTime: 0, refetchOnWindowFocus: true } as const

/** The partner whose roles a platform administrator looks at; undefined for the user's own. */
export interface RoleContext {
  viewedPartnerId?: string | undefined
}
export type Role = RoleRow & RoleContext
export type RoleDetails = RoleDetail & RoleContext

/** A role and its owning organization, which tells the API in which tenant the call is. */
export type RoleRef = Pick<Role, 'id' | 'orgId' | 'viewedPartnerId'>
const callFor = ({ id, orgId, viewedPartnerId }: RoleRef) => ({
  params: { id },
  query: { orgId: orgId ?? undefined, partnerId: viewedPartnerId },
})

/** Roles of the partner and of its organizations within reach, and the built-in ones. */
export const rolesQuery = (viewedPartnerId?: string) =>
  queryOptions({
    queryKey: [...roleKey, 'list', viewedPartnerId],
    queryFn: async ({ signal }) => {
      const { data } = await api.call(listRoles, { query: { ownerScope: 'all', partnerId: viewedPartnerId } }, signal)
      return withRoleNames(data).map((role): Role => ({ ...role, ...parentName(role), viewedPartnerId }))
    },
    ...alwaysStale,
  })

const parentName = ({ parentRoleName }: RoleRow) => ({ parentRoleName: parentRoleName && roleName(parentRoleName) })

export const roleQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'one', role.id, role.viewedPartnerId],
    queryFn: async ({ signal }): Promise<RoleDetails> => {
      const found = await api.call(readRole, callFor(role), signal)
      const name = found.isSystem ? roleName(found.name) : found.name
      return { ...found, ...parentName(found), name, viewedPartnerId: role.viewedPartnerId }
    },
    ...alwaysStale,
  })

export const effectivePermissionsQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'effective', role.id],
    queryFn: async ({ signal }) => {
      const { inheritanceChain, ...effective } = await api.call(effectivePermissions, callFor(role), signal)
      return {
        ...effective,
        roleName: roleName(effective.roleName),
        inheritanceChain: inheritanceChain.map((above) => ({ ...above, name: roleName(above.name) })),
      }
    },
    ...alwaysStale,
  })

export const roleHoldersQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'holders', role.id, role.viewedPartnerId],
    queryFn: async ({ signal }) => (await api.call(roleUsers, callFor(role), signal)).data,
    ...alwaysStale,
  })

/** Ids of the roles that grant no more than the user's own permissions. */
export const assignableRoleIdsQuery = ({ orgId, viewedPartnerId }: Omit<RoleRef, 'id'>) =>
  queryOptions({
    queryKey: [...roleKey, 'within-own', orgId, viewedPartnerId],
    queryFn: async ({ signal }) => {
      const query = orgId === null ? { partnerId: viewedPartnerId } : ({ ownerScope: 'organization', orgId } as const)
      const { data } = await api.call(listUserRoles, { query }, signal)
      return new Set(data.filter(({ isAssignable }) => isAssignable).map(({ id }) => id))
    },
    ...alwaysStale,
  })

/** People show the names of their roles, and one of the roles may be the user's own. */
const rolesChanged = () =>
  Promise.all([roleKey, ['people'], meQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

export const createRoleMutation = {
  mutationFn: (body: InputOf<typeof createRole>['body']) => api.call(createRole, { query: {}, body }),
  onSuccess: rolesChanged,
}

/** A copy of a built-in role belongs to the partner, or to the organization `orgId`. */
export const copyRole = {
  mutationFn: ({ source, orgId, name }: { source: RoleRef; orgId: string | null; name: string }) =>
    api.call(cloneRole, { ...callFor({ ...source, orgId: source.orgId ?? orgId }), body: { name } }),
  onSuccess: rolesChanged,
}

export const saveRole = (role: RoleRef) => ({
  mutationFn: (body: InputOf<typeof updateRole>['body']) => api.call(updateRole, { ...callFor(role), body }),
  onSuccess: rolesChanged,
})

export const deleteRoleMutation = {
  mutationFn: (role: RoleRef) => api.call(deleteRole, callFor(role)),
  onSuccess: rolesChanged,
}
