import { decodeJwt } from 'jose/jwt/decode'

/** Whom a token signs in. The server decides what they may; here it is only compared, and shown. */
export interface Person {
  id: string
  email: string
  /** The company they are signed in to; null for whoever runs the appliance. */
  partnerId: string | null
}

type Claims = { sub: string; email: string; partnerId: string | null }

export function personIn(accessToken: string): Person {
  const { sub, email, partnerId } = decodeJwt<Claims>(accessToken)
  return { id: sub, email, partnerId }
}

export const samePerson = (one: Pick<Person, 'id' | 'partnerId'>, other: Pick<Person, 'id' | 'partnerId'>): boolean =>
  one.id === other.id && one.partnerId === other.partnerId
