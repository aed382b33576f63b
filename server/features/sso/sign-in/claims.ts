import type { UserInfoResponse } from 'openid-client'
import type { AttributeMapping } from '../../../../shared/api/sso-providers.ts'
import { emailAddress } from '../../../../shared/fields.ts'
import type { Assertion } from './assertion.ts'
import { Refusal } from './refusal.ts'

type Claims = Record<string, unknown>
const maxProfileBytes = 64 * 1024

/** The claims of one subject: those of the ID token, and what userinfo adds where it was asked. */
export interface Documents {
  idToken: Claims
  userInfo: UserInfoResponse | null
}

type Person = Pick<Assertion, 'subject' | 'email' | 'name' | 'emailState' | 'sawSecondFactor' | 'profile'>

/** Who it is, in the words that the provider is configured with; throws a `Refusal`. */
export function personIn(documents: Documents, mapping: AttributeMapping): Person {
  const { idToken, userInfo } = documents
  const subject = text(idToken, 'sub')
  if (subject === null || subject.length > 255) throw new Refusal('sso_no_subject')
  const mapped = (key: string | undefined) =>
    key === undefined ? null : (text(idToken, key) ?? (userInfo && text(userInfo, key)))
  const address = emailAddress.safeParse(mapped(mapping.email))
  if (!address.success) throw new Refusal('sso_error', 'no_email_address')
  const email = address.data
  const emailState = stateOf(documents, mapping, email)
  if (emailState === 'refuted') throw new Refusal('sso_email_unverified', 'email_verified_false')
  const [first, last] = [mapped(mapping.firstName), mapped(mapping.lastName)]
  const name = nameFrom([
    mapped(mapping.name),
    first && last && `${first} ${last}`,
    email.slice(0, email.lastIndexOf('@')),
  ])
  const profile = JSON.stringify(userInfo ?? idToken)
  return {
    subject,
    email,
    name,
    emailState,
    // Of the ID token only, and only as the list it has to be.
    sawSecondFactor: Array.isArray(own(idToken, 'amr')) && (own(idToken, 'amr') as unknown[]).includes('mfa'),
    profile: Buffer.byteLength(profile) > maxProfileBytes ? null : profile,
  }
}

const own = (claims: Claims, key: string): unknown => (Object.hasOwn(claims, key) ? claims[key] : undefined)

function text(claims: Claims, key: string): string | null {
  const value = own(claims, key)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** One line, as names are kept. */
function nameFrom(candidates: (string | null)[]): string {
  const lines = candidates.map((candidate) => candidate?.replace(/\p{Cc}+/gu, ' ').trim())
  return [...(lines.find(Boolean) ?? '?')].slice(0, 255).join('').trim()
}

/** `refuted` by either document wins; what either one confirms, the same subject of the same issuer confirms. */
function stateOf({ idToken, userInfo }: Documents, mapping: AttributeMapping, email: string) {
  const words = [idToken, userInfo ?? {}]
    .filter((claims) => isAbout(claims, mapping, email))
    .map((claims) => own(claims, 'email_verified'))
  if (words.includes(false) || words.includes('false')) return 'refuted'
  return words.includes(true) || words.includes('true') ? 'verified' : 'absent'
}

/** `email_verified` speaks of the claim `email`: nothing else may borrow what it says. */
function isAbout(claims: Claims, mapping: AttributeMapping, email: string): boolean {
  const address = text(claims, 'email')
  if (address === null) return mapping.email === 'email'
  return emailAddress.safeParse(address).data === email
}
