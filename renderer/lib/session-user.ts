import { decodeJwt } from 'jose/jwt/decode'

/** The user of a token. The console only compares and displays it; the server authorizes. */
export interface SessionUser {
  id: string
  email: string
  /** The partner of the session; null for platform administrators. */
  partnerId: string | null
  /** The organization of the session, if it is limited to one. */
  orgId: string | null
}

type Claims = { sub: string; email: string; partnerId: string | null; orgId?: string | null }

export function userInToken(accessToken: string): SessionUser {
  const { sub, email, partnerId, orgId = null } = decodeJwt<Claims>(accessToken)
  return { id: sub, email, partnerId, orgId }
}

type SessionScope = Pick<SessionUser, 'id' | 'partnerId' | 'orgId'>

/** Compares the tenant too, because permissions and visible data depend on it. */
export const isSameUser = (one: SessionScope, other: SessionScope): boolean =>
  one.id === other.id && one.partnerId === other.partnerId && one.orgId === other.orgId
