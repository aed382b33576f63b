import { describe, expect, test } from 'vitest'
import { personIn } from './claims.ts'
import { Refusal } from './refusal.ts'

const mapping = { email: 'email', name: 'name', firstName: 'given_name', lastName: 'family_name' }
const person = { sub: 'a1', email: 'alice@corp.test', email_verified: true, name: 'Alice' }
const identityIn = (idToken: object, userInfo: object | null = null, mapped = mapping) =>
  personIn({ idToken: { sub: 'a1', ...idToken }, userInfo: userInfo && { sub: 'a1', ...userInfo } }, mapped)

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
  return 'none'
}

test('claims of the ID token take precedence over userinfo, which fills the gaps', () => {
  expect(identityIn(person, { email: 'other@corp.test', name: 'Other' })).toMatchObject({
    subject: 'a1',
    email: 'alice@corp.test',
    name: 'Alice',
  })
  expect(identityIn({}, person)).toMatchObject({ email: 'alice@corp.test', name: 'Alice', emailState: 'verified' })
})

describe('the subject', () => {
  test.each([[''], ['x'.repeat(256)], [7], [undefined]])('%j is refused with sso_no_subject', (sub) => {
    expect(codeOf(() => identityIn({ ...person, sub }))).toBe('sso_no_subject')
  })
})

describe('the email address', () => {
  test.each([
    [undefined],
    [''],
    ['alice'],
    ['a@corp.test@evil.test'],
    [['alice@corp.test']],
    [`${'a'.repeat(250)}@corp.test`],
  ])('%j is refused with sso_error', (email) => {
    expect(codeOf(() => identityIn({ ...person, email }))).toBe('sso_error')
  })

  test('is trimmed and converted to lower case', () => {
    expect(identityIn({ ...person, email: ' Alice@Corp.TEST ' }).email).toBe('alice@corp.test')
  })

  test('is never read from an inherited property such as constructor', () => {
    expect(codeOf(() => identityIn(person, null, { ...mapping, email: 'constructor' }))).toBe('sso_error')
  })
})

describe('the name', () => {
  test.each([
    [{ name: 'Alice' }, 'Alice'],
    [{ name: ' ', given_name: 'Alice', family_name: 'Archer' }, 'Alice Archer'],
    [{ name: undefined, given_name: 'Alice' }, 'alice'],
    [{ name: 'Alice\n\u0000Archer' }, 'Alice Archer'],
    [{ name: '😀'.repeat(300) }, '😀'.repeat(255)],
  ])('is taken from the claims %j', (claims, name) => {
    expect(identityIn({ ...person, ...claims }).name).toBe(name)
  })
})

describe('the verification of the email address', () => {
  test.each([
    [true, 'verified'],
    ['true', 'verified'],
    [undefined, 'absent'],
    [null, 'absent'],
    [1, 'absent'],
    ['TRUE', 'absent'],
    [['true'], 'absent'],
  ])('email_verified %j means %s', (email_verified, state) => {
    expect(identityIn({ ...person, email_verified }).emailState).toBe(state)
  })

  test.each([[false], ['false']])('%j in either document is refused with sso_email_unverified', (email_verified) => {
    expect(codeOf(() => identityIn({ ...person, email_verified }, person))).toBe('sso_email_unverified')
    expect(codeOf(() => identityIn(person, { ...person, email_verified }))).toBe('sso_email_unverified')
  })

  test('email_verified of another address is ignored', () => {
    const mapped = { ...mapping, email: 'preferred_username' }
    const claims = { ...person, preferred_username: 'root@corp.test' }
    expect(identityIn(claims, null, mapped)).toMatchObject({ email: 'root@corp.test', emailState: 'absent' })
    expect(identityIn({ ...claims, email_verified: false }, null, mapped).emailState).toBe('absent')
    expect(identityIn({ ...claims, email: 'Root@corp.test' }, null, mapped).emailState).toBe('verified')
    expect(identityIn({ email: 'root@corp.test' }, person).emailState).toBe('absent')
  })
})

describe('a second factor', () => {
  test.each([
    [['pwd', 'mfa'], true],
    [['pwd', 'otp', 'hwk'], false],
    ['mfa', false],
    [{ 0: 'mfa' }, false],
    [undefined, false],
  ])('amr %j in the ID token counts as one: %s', (amr, seen) => {
    expect(identityIn({ ...person, amr }).sawSecondFactor).toBe(seen)
  })

  test('amr in userinfo is ignored', () => {
    expect(identityIn(person, { ...person, amr: ['mfa'] }).sawSecondFactor).toBe(false)
  })
})

test('a profile beyond 64 KiB is not kept', () => {
  expect(identityIn(person).profile).toBe(JSON.stringify(person))
  expect(identityIn({ ...person, picture: 'x'.repeat(65_536) }).profile).toBeNull()
})
