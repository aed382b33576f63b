import type { previewInvite } from '../../../../shared/api/invitations.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'

/** What the link of an invitation tells before anybody signs in. */
export type Preview = ReplyOf<typeof previewInvite>

export const placeOf = ({ orgName, partnerName }: Preview): string => orgName ?? partnerName ?? 'Homeport'
