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
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'

export const roleKey = ['roles'] as const

/** Whoever has no live word of a change, for want of the right to read the log, sees it when they come back. */
const fresh = { staleTime: 0, refetchOnWindowFocus: true } as const

/** The company whose roles are looked at by who runs the platform; undefined where they are those of one's own. */
export interface RoleContext {
  viewedPartnerId?: string | undefined
}
export type Role = RoleRow & RoleContext
export type RoleDetails = RoleDetail & RoleContext

/** A role, and the organization that owns it: who looks after many says which one is meant. */
export type RoleRef = Pick<Role, 'id' | 'orgId' | 'viewedPartnerId'>
const callFor = ({ id, orgId, viewedPartnerId }: RoleRef) => ({
  params: { id },
  query: { orgId: orgId ?? undefined, partnerId: viewedPartnerId },
})

/** Those of the company and of its organizations, as far as one looks after them, and those of the appliance. */
export const rolesQuery = (viewedPartnerId?: string) =>
  queryOptions({
    queryKey: [...roleKey, 'list', viewedPartnerId],
    queryFn: async ({ signal }) => {
      const { data } = await api.call(listRoles, { query: { ownerScope: 'all', partnerId: viewedPartnerId } }, signal)
      return data.map((role): Role => ({ ...role, viewedPartnerId }))
    },
    ...fresh,
  })

export const roleQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'one', role.id, role.viewedPartnerId],
    queryFn: async ({ signal }): Promise<RoleDetails> => ({
      ...(await api.call(readRole, callFor(role), signal)),
      viewedPartnerId: role.viewedPartnerId,
    }),
    ...fresh,
  })

export const effectivePermissionsQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'effective', role.id],
    queryFn: ({ signal }) => api.call(effectivePermissions, callFor(role), signal),
    ...fresh,
  })

export const roleHoldersQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'holders', role.id, role.viewedPartnerId],
    queryFn: async ({ signal }) => (await api.call(roleUsers, callFor(role), signal)).data,
    ...fresh,
  })

/** The roles that permit nothing one may not do oneself, of the company or of one organization. */
export const assignableRoleIdsQuery = ({ orgId, viewedPartnerId }: Omit<RoleRef, 'id'>) =>
  queryOptions({
    queryKey: [...roleKey, 'within-own', orgId, viewedPartnerId],
    queryFn: async ({ signal }) => {
      const query = orgId === null ? { partnerId: viewedPartnerId } : ({ ownerScope: 'organization', orgId } as const)
      const { data } = await api.call(listUserRoles, { query }, signal)
      return new Set(data.filter(({ isAssignable }) => isAssignable).map(({ id }) => id))
    },
    ...fresh,
  })

/** People carry the names of their roles, and one's own role may be among them. */
const rolesChanged = () =>
  Promise.all([roleKey, ['people'], meQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

export const createRoleMutation = {
  mutationFn: (body: InputOf<typeof createRole>['body']) => api.call(createRole, { query: {}, body }),
  onSuccess: rolesChanged,
}

/** A copy of a role that comes with Homeport is for the company, or for the organization `orgId`. */
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
