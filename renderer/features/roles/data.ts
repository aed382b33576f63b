import { queryOptions } from '@tanstack/react-query'
import { listUserRoles } from '../../../shared/api/people.ts'
import {
  cloneRole,
  createRole,
  deleteRole,
  effectivePermissions,
  listRoles,
  type RoleRow,
  readRole,
  roleUsers,
  updateRole,
} from '../../../shared/api/roles.ts'
import type { InputOf } from '../../../shared/endpoint.ts'
import { api } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'
import { meQuery } from '../../lib/session.ts'

export const roleKey = ['roles'] as const

/** Whoever has no live word of a change, for want of the right to read the log, sees it when they come back. */
const fresh = { staleTime: 0, refetchOnWindowFocus: true } as const

/** A role, and the organization that owns it: who looks after many says which one is meant. */
export type RoleRef = Pick<RoleRow, 'id' | 'orgId'>
const callFor = ({ id, orgId }: RoleRef) => ({ params: { id }, query: { orgId: orgId ?? undefined } })

/** Those of the company and of its organizations, as far as one looks after them, and those of the appliance. */
export const rolesQuery = queryOptions({
  queryKey: [...roleKey, 'list'],
  queryFn: async ({ signal }) => (await api.call(listRoles, { query: { ownerScope: 'all' } }, signal)).data,
  ...fresh,
})

export const roleQuery = (role: RoleRef) =>
  queryOptions({
    queryKey: [...roleKey, 'one', role.id],
    queryFn: ({ signal }) => api.call(readRole, callFor(role), signal),
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
    queryKey: [...roleKey, 'holders', role.id],
    queryFn: async ({ signal }) => (await api.call(roleUsers, callFor(role), signal)).data,
    ...fresh,
  })

/** The roles that permit nothing one may not do oneself, of the company or of one organization. */
export const withinOwnQuery = (orgId: string | null) =>
  queryOptions({
    queryKey: [...roleKey, 'within-own', orgId],
    queryFn: async ({ signal }) => {
      const query = orgId === null ? {} : ({ ownerScope: 'organization', orgId } as const)
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
    api.call(cloneRole, { ...callFor({ id: source.id, orgId: source.orgId ?? orgId }), body: { name } }),
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
