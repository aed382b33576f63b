import { queryOptions } from '@tanstack/react-query'
import {
  assignRole,
  inviteUser,
  listUserRoles,
  listUsers,
  removeUser,
  resendInvite,
  resetUserMfa,
  type UserRow,
  type UserStatus,
  updateUser,
} from '../../shared/api/people.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { roleName, withRoleNames } from '../lib/built-in-roles.ts'
import { queryClient } from '../lib/query-client.ts'

/**
 * Whose people: those of one organization, of a partner with all its organizations (for platform administrators), or
 * of the user's own partner and the organizations within reach.
 */
export interface PeopleOwner {
  orgId?: string | undefined
  partnerId?: string | undefined
}

const everybodyOf = ({ orgId, partnerId }: PeopleOwner) =>
  orgId ? ({ ownerScope: 'organization', orgId } as const) : ({ ownerScope: 'all', partnerId } as const)

/** The one tenant that the membership is in. */
const tenantOf = ({ orgId, partnerId }: PeopleOwner) =>
  orgId ? ({ ownerScope: 'organization', orgId } as const) : { partnerId }

/** A person as a member of one tenant. */
export interface Member {
  person: UserRow
  owner: PeopleOwner
}
const membershipOwner = ({ person, owner }: Member): PeopleOwner => (person.orgId ? { orgId: person.orgId } : owner)

const peopleKey = ['people'] as const

export const peopleQuery = (owner: PeopleOwner) =>
  queryOptions({
    queryKey: [...peopleKey, 'of', owner],
    queryFn: async ({ signal }) => {
      const { data } = await api.call(listUsers, { query: everybodyOf(owner) }, signal)
      return data.map((person) => ({ ...person, roleName: roleName(person.roleName) }))
    },
    staleTime: 5000,
    refetchOnWindowFocus: true,
  })

/** How many people belong to an organization. */
export const memberCountQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...peopleKey, 'count', orgId],
    queryFn: async ({ signal }) =>
      (await api.call(listUsers, { query: { ownerScope: 'organization', orgId } }, signal)).data.length,
  })

/** The roles that can be given in one tenant. */
export const assignableRolesQuery = (tenant: PeopleOwner) =>
  queryOptions({
    queryKey: [...peopleKey, 'roles', tenant],
    queryFn: async ({ signal }) =>
      withRoleNames((await api.call(listUserRoles, { query: tenantOf(tenant) }, signal)).data),
    // Roles are created on another page.
    staleTime: 0,
  })

export const peopleChanged = () => queryClient.invalidateQueries({ queryKey: peopleKey })

export type Invitation = InputOf<typeof inviteUser>['body']
export type RoleAssignment = InputOf<typeof assignRole>['body']

export const inviteUserMutation = {
  mutationFn: ({ tenant, body }: { tenant: PeopleOwner; body: Invitation }) =>
    api.call(inviteUser, { query: tenantOf(tenant), body }),
  onSuccess: peopleChanged,
}

export const resendInvitation = {
  mutationFn: (member: Member) =>
    api.call(resendInvite, { query: tenantOf(membershipOwner(member)), body: { userId: member.person.id } }),
  onSuccess: peopleChanged,
}

export const changeRole = (member: Member) => ({
  mutationFn: (body: RoleAssignment) =>
    api.call(assignRole, { params: { id: member.person.id }, query: tenantOf(membershipOwner(member)), body }),
  onSuccess: peopleChanged,
})

export const removeMember = {
  mutationFn: (member: Member) =>
    api.call(removeUser, { params: { id: member.person.id }, query: tenantOf(membershipOwner(member)) }),
  onSuccess: peopleChanged,
}

export const changeUserStatus = {
  mutationFn: ({ id, status }: { id: string; status: UserStatus }) =>
    api.call(updateUser, { params: { id }, body: { status } }),
  onSuccess: peopleChanged,
}

export const resetFactors = {
  mutationFn: ({ person: { id }, owner }: Member) =>
    api.call(resetUserMfa, { params: { id }, query: everybodyOf(owner) }),
  onSuccess: peopleChanged,
}
