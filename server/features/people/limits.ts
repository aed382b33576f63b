import type { Limit } from '../../lib/limit.ts'

export const peopleLimits = {
  invite_preview: { max: 30, windowSeconds: 600 },
  invite_accept: { max: 10, windowSeconds: 3600, isDurable: true },
  /** Mails with an invitation link to one user or address. */
  invite_resend: { max: 10, windowSeconds: 3600, isDurable: true },
  /** Invitations of one address by one partner and its organizations. */
  invite_address: { max: 20, windowSeconds: 86_400, isDurable: true },
  /** Mails to one address by all partners together. Beyond it users are still invited, but without a mail. */
  invite_mail: { max: 60, windowSeconds: 86_400, isDurable: true },
} as const satisfies Record<string, Limit>
