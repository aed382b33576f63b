import type { InvitationPreview } from '../../../data/invitations.ts'

/** The organization or partner that invites. */
export const invitingTenant = ({ orgName, partnerName }: InvitationPreview): string =>
  orgName ?? partnerName ?? 'Homeport'
