import { queryOptions } from '@tanstack/react-query'
import { acceptInvitation, declineInvitation, listInvitations, previewInvite } from '../../shared/api/invitations.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { roleName } from '../lib/built-in-roles.ts'
import { queryClient } from '../lib/query-client.ts'
import { membershipsQuery } from './memberships.ts'

/** Invitations that the user can accept or decline. */
export const invitationsQuery = queryOptions({
  queryKey: ['me', 'invitations'],
  queryFn: async ({ signal }) => {
    const { data } = await api.call(listInvitations, {}, signal)
    return data.map((invitation) => ({ ...invitation, roleName: roleName(invitation.roleName) }))
  },
})

const invitationsChanged = () =>
  Promise.all([invitationsQuery, membershipsQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))

interface Reply {
  id: string
  /** From the mailed link, if the user came by it. */
  token?: string
}

export const acceptInvitationMutation = {
  mutationFn: ({ id, token }: Reply) =>
    api.call(acceptInvitation, { params: { id }, body: token === undefined ? {} : { token } }),
  onSuccess: invitationsChanged,
}

export const declineInvitationMutation = {
  mutationFn: ({ id, token }: Reply) =>
    api.call(declineInvitation, { params: { id }, body: token === undefined ? {} : { token } }),
  onSuccess: invitationsChanged,
}

/** What the link of an invitation shows before the sign-in. */
export type InvitationPreview = ReplyOf<typeof previewInvite>

export const invitationLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', 'invitation', token],
    queryFn: () => api.call(previewInvite, { body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
