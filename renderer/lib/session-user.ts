import { decodeJwt } from 'jose/jwt/decode'

/** Whom a token signs in. The server decides what they may; here it is only compared, and shown. */
export interface SessionUser {
  id: string
  email: string
  /** The company they are signed in to; null for whoever runs the appliance. */
  partnerId: string | null
  /** The organization, where they are signed in to one alone. */
  orgId: string | null
}

type Claims = { sub: string; email: string; partnerId: string | null; orgId?: string | null }

export function userInToken(accessToken: string): SessionUser {
  const { sub, email, partnerId, orgId = null } = decodeJwt<Claims>(accessToken)
  return { id: sub, email, partnerId, orgId }
}

type Acting = Pick<SessionUser, 'id' | 'partnerId' | 'orgId'>

/** Also in the same place: what one sees and may do hangs on it. */
export const isSameUser = (one: Acting, other: Acting): boolean =>
  one.id === other.id && one.partnerId === other.partnerId && one.orgId === other.orgId
