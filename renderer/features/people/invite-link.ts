import type { UserRow } from '../../../shared/api/people.ts'

/** Whether somebody who was invited can not come in by their link any more. */
export const isInviteLinkExpired = ({ inviteExpiresAt }: UserRow, now: number): boolean =>
  inviteExpiresAt === null || Date.parse(inviteExpiresAt) < now
