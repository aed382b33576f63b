import type { UserRow } from '../../../shared/api/people.ts'

/** Whether the link of an invitation has expired. */
export const isInviteLinkExpired = ({ inviteExpiresAt }: UserRow, now: number): boolean =>
  inviteExpiresAt === null || Date.parse(inviteExpiresAt) < now
