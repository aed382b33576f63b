/** Claims of people at the identity provider, by the name they sign in with. */
export interface OpenIdPerson {
  sub?: string
  email?: string
  email_verified?: boolean | string
  name?: string
  given_name?: string
  family_name?: string
  preferred_username?: string
}

export const openIdPeople: Record<string, OpenIdPerson> = {
  alice: { email: 'alice@corp.test', email_verified: true, name: 'Alice Archer' },
  bob: { email: 'bob@corp.test', email_verified: true, given_name: 'Bob', family_name: 'Baker' },
  mixed: { email: 'Mixed.Case@Corp.TEST', email_verified: true, name: 'Mixed Case' },
  unverified: { email: 'unverified@corp.test', email_verified: false, name: 'Una Unverified' },
  'unverified-text': { email: 'unverified@corp.test', email_verified: 'false', name: 'Una Unverified' },
  'verified-text': { email: 'verified@corp.test', email_verified: 'true', name: 'Vera Verified' },
  unsaid: { email: 'unsaid@corp.test', name: 'Uma Unsaid' },
  mailless: { name: 'Max Mailless' },
  'two-signs': { email: 'a@corp.test@evil.test', email_verified: true, name: 'Eve' },
  outsider: { email: 'outsider@other.test', email_verified: true, name: 'Otto Outsider' },
}

const factors: Record<string, string[]> = { mfa: ['pwd', 'otp', 'mfa'], pwd: ['pwd'] }

/**
 * The person of a login hint such as `alice`, `alice+mfa` or `alice+pwd@corp.test`: the part after the plus gives the
 * factors the ID token names in `amr`; without it `amr` is absent.
 */
export function signInBy(hint: string): { who: string; amr: string[] | undefined } {
  const [who = '', variant = ''] = (hint.split('@')[0] ?? '').split('+')
  return { who, amr: factors[variant] }
}
