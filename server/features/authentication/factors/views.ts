import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionCookies } from '../sessions/cookies.ts'
import { type IssuedTokens, tokensView } from '../sessions/token-pairs.ts'

/** The answer that turns a factor on, with codes shown this once. Sets the cookies of the session's new tokens. */
export function enrolledView(
  { issued, recoveryCodes }: { issued: IssuedTokens; recoveryCodes: string[] },
  cookies: SessionCookies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  cookies.set(request, reply, issued)
  return {
    success: true as const,
    message: 'Two-factor authentication is on',
    recoveryCodes,
    tokens: tokensView(issued),
  }
}

export const codeSent = { success: true as const, message: 'A code was sent' }
