import type { UserInfoResponse } from 'openid-client'
import type { AttributeMapping } from '../../../../shared/api/sso-providers.ts'
import { emailAddress } from '../../../../shared/fields.ts'
import type { Assertion } from './assertion.ts'
import { Refusal } from './refusal.ts'

type Claims = Record<string, unknown>
const maxProfileBytes = 64 * 1024

/** The claims about one subject: of the ID token, and of the userinfo endpoint where there is one. */
export interface Documents {
  idToken: Claims
  userInfo: UserInfoResponse | null
}

type Person = Pick<Assertion, 'subject' | 'email' | 'name' | 'emailState' | 'sawSecondFactor' | 'profile'>

/**
 * Maps the claims to a user, by the attribute mapping of the provider.
 * @throws Refusal
 */
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
  const amr = own(idToken, 'amr')
  return {
    subject,
    email,
    name,
    emailState,
    // Of the ID token only, where `amr` is a list.
    sawSecondFactor: Array.isArray(amr) && amr.includes('mfa'),
    profile: Buffer.byteLength(profile) > maxProfileBytes ? null : profile,
  }
}

const own = (claims: Claims, key: string): unknown => (Object.hasOwn(claims, key) ? claims[key] : undefined)

function text(claims: Claims, key: string): string | null {
  const value = own(claims, key)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** The first name that is not blank, on one line and with at most 255 characters. */
function nameFrom(candidates: (string | null)[]): string {
  const lines = candidates.map((candidate) => candidate?.replace(/\p{Cc}+/gu, ' ').trim())
  return [...(lines.find(Boolean) ?? '?')].slice(0, 255).join('').trim()
}

/** `refuted` where either document says that the address is not verified, else `verified` where either says that it is. */
function stateOf({ idToken, userInfo }: Documents, mapping: AttributeMapping, email: string) {
  const words = [idToken, userInfo ?? {}]
    .filter((claims) => isAbout(claims, mapping, email))
    .map((claims) => own(claims, 'email_verified'))
  if (words.includes(false) || words.includes('false')) return 'refuted'
  return words.includes(true) || words.includes('true') ? 'verified' : 'absent'
}

/** `email_verified` is about the claim `email`, and says nothing about an address mapped from another claim. */
function isAbout(claims: Claims, mapping: AttributeMapping, email: string): boolean {
  const address = text(claims, 'email')
  if (address === null) return mapping.email === 'email'
  return emailAddress.safeParse(address).data === email
}
