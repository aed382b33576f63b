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
export interface Within {
  companyId?: string | undefined
}
export type Role = RoleRow & Within
export type FullRole = RoleDetail & Within

/** A role, and the organization that owns it: who looks after many says which one is meant. */
export type RoleRef = Pick<Role, 'id' | 'orgId' | 'companyId'>
const callFor = ({ id, orgId, companyId }: RoleRef) => ({
  params: { id },
  query: { orgId: orgId ?? undefined, partnerId: companyId },
})

/** Those of the company and of its organizations, as far as one looks after them, and those of the appliance. */
export const rolesQuery = (companyId?: string) =>
  queryOptions({
    queryKey: [...roleKey, 'list', companyId],
    queryFn: async ({ signal }) => {
      const { data } = await api.call(listRoles, { query: { ownerScope: 'all', partnerId: companyId } }, signal)
      return data.map((role): Role => ({ ...role, companyId }))
    },
    ...fresh,
  })

export const roleQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'one', role.id, role.companyId],
    queryFn: async ({ signal }): Promise<FullRole> => ({
      ...(await api.call(readRole, callFor(role), signal)),
      companyId: role.companyId,
    }),
    ...fresh,
  })

export const effectiveQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'effective', role.id],
    queryFn: ({ signal }) => api.call(effectivePermissions, callFor(role), signal),
    ...fresh,
  })

export const holdersQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'holders', role.id, role.companyId],
    queryFn: async ({ signal }) => (await api.call(roleUsers, callFor(role), signal)).data,
    ...fresh,
  })

/** The roles that permit nothing one may not do oneself, of the company or of one organization. */
export const withinOwnQuery = ({ orgId, companyId }: Omit<RoleRef, 'id'>) =>
  queryOptions({
    queryKey: [...roleKey, 'within-own', orgId, companyId],
    queryFn: async ({ signal }) => {
      const query = orgId === null ? { partnerId: companyId } : ({ ownerScope: 'organization', orgId } as const)
      const { data } = await api.call(listUserRoles, { query }, signal)
      return new Set(data.filter(({ isAssignable }) => isAssignable).map(({ id }) => id))
    },
    ...fresh,
  })

/** People carry the names of their roles, and one's own role may be among them. */
const rolesChanged = () =>
  Promise.all([roleKey, ['people'], meQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

export const create = {
  mutationFn: (body: InputOf<typeof createRole>['body']) => api.call(createRole, { query: {}, body }),
  onSuccess: rolesChanged,
}

/** A copy of a role that comes with Homeport is for the company, or for the organization `orgId`. */
export const copy = {
  mutationFn: ({ source, orgId, name }: { source: RoleRef; orgId: string | null; name: string }) =>
    api.call(cloneRole, { ...callFor({ ...source, orgId: source.orgId ?? orgId }), body: { name } }),
  onSuccess: rolesChanged,
}

export const save = (role: RoleRef) => ({
  mutationFn: (body: InputOf<typeof updateRole>['body']) => api.call(updateRole, { ...callFor(role), body }),
  onSuccess: rolesChanged,
})

export const remove = {
  mutationFn: (role: RoleRef) => api.call(deleteRole, callFor(role)),
  onSuccess: rolesChanged,
}
