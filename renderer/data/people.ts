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
import { queryClient } from '../lib/query-client.ts'

/**
 * Whose people: those of one organization, of a company and all its organizations for who runs the platform, or of
 * one's own company and its organizations, as far as one looks after them.
 */
export interface PeopleOwner {
  orgId?: string | undefined
  partnerId?: string | undefined
}

const everybodyOf = ({ orgId, partnerId }: PeopleOwner) =>
  orgId ? ({ ownerScope: 'organization', orgId } as const) : ({ ownerScope: 'all', partnerId } as const)

/** The one tenant in which somebody is a member, or is to be one. */
const tenantOf = ({ orgId, partnerId }: PeopleOwner) =>
  orgId ? ({ ownerScope: 'organization', orgId } as const) : { partnerId }

/** Somebody as a member of one tenant. */
export interface Member {
  person: UserRow
  whose: PeopleOwner
}
const placeOf = ({ person, whose }: Member): PeopleOwner => (person.orgId ? { orgId: person.orgId } : whose)

const peopleKey = ['people'] as const

export const peopleQuery = (whose: PeopleOwner) =>
  queryOptions({
    queryKey: [...peopleKey, 'of', whose],
    queryFn: async ({ signal }) => (await api.call(listUsers, { query: everybodyOf(whose) }, signal)).data,
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

/** What roles somebody can have in one tenant. */
export const assignableRolesQuery = (tenant: PeopleOwner) =>
  queryOptions({
    queryKey: [...peopleKey, 'roles', tenant],
    queryFn: async ({ signal }) => (await api.call(listUserRoles, { query: tenantOf(tenant) }, signal)).data,
    // Roles are made on another page.
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
    api.call(resendInvite, { query: tenantOf(placeOf(member)), body: { userId: member.person.id } }),
  onSuccess: peopleChanged,
}

export const changeRole = (member: Member) => ({
  mutationFn: (body: RoleAssignment) =>
    api.call(assignRole, { params: { id: member.person.id }, query: tenantOf(placeOf(member)), body }),
  onSuccess: peopleChanged,
})

export const removeMember = {
  mutationFn: (member: Member) =>
    api.call(removeUser, { params: { id: member.person.id }, query: tenantOf(placeOf(member)) }),
  onSuccess: peopleChanged,
}

export const changeUserStatus = {
  mutationFn: ({ id, status }: { id: string; status: UserStatus }) =>
    api.call(updateUser, { params: { id }, body: { status } }),
  onSuccess: peopleChanged,
}

export const resetFactors = {
  mutationFn: ({ person: { id }, whose }: Member) =>
    api.call(resetUserMfa, { params: { id }, query: everybodyOf(whose) }),
  onSuccess: peopleChanged,
}
