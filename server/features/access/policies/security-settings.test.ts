import { expect, test } from 'vitest'
import { AppError } from '../../../platform/errors.ts'
import { allowlistOf, securityPolicyOf } from './security-settings.ts'

const settings = (security: unknown) => JSON.stringify({ security })
const policyOf = (partner: unknown, organization: unknown) =>
  securityPolicyOf(settings(partner), settings(organization))
const both = { totp: true, sms: true }

test('nothing settled means nothing asked, everything allowed and two weeks', () => {
  const usual = { requireMfa: false, allowedMethods: both, graceDays: 14 }
  expect(securityPolicyOf(null, null)).toEqual(usual)
  for (const odd of [undefined, null, 'x', [1]]) expect(policyOf(odd, odd)).toEqual(usual)
})

test('a factor is required as soon as either asks for it', () => {
  expect(policyOf({ requireMfa: false }, { requireMfa: true }).requireMfa).toBe(true)
  expect(policyOf({ requireMfa: true }, { requireMfa: false }).requireMfa).toBe(true)
  expect(policyOf({ requireMfa: 'true' }, { requireMfa: 1 }).requireMfa).toBe(false)
})

test("the partner's methods hide the organization's as a whole", () => {
  expect(policyOf({}, { allowedMfaMethods: { sms: false } }).allowedMethods).toEqual({ totp: true, sms: false })
  expect(
    policyOf({ allowedMfaMethods: { totp: false } }, { allowedMfaMethods: { sms: false } }).allowedMethods,
  ).toEqual({
    totp: false,
    sms: true,
  })
  expect(policyOf({ allowedMfaMethods: {} }, { allowedMfaMethods: { sms: false } }).allowedMethods).toEqual(both)
})

test('the days are a whole number from 0 to 30, the partner before the organization', () => {
  const days = (partner: unknown, organization?: unknown) =>
    policyOf({ mfaEnrollmentGraceDays: partner }, { mfaEnrollmentGraceDays: organization }).graceDays
  expect([days(0), days(7, 3), days(undefined, 3), days(99), days(-1), days(1.5), days('x')]).toEqual([
    0, 7, 3, 30, 0, 14, 14,
  ])
})

test('an empty list is none, and what is no list closes the door', () => {
  for (const none of [undefined, null, []]) expect(allowlistOf(settings({ ipAllowlist: none }))).toBe(null)
  expect(allowlistOf(settings({ ipAllowlist: ['10.0.0.0/8'] }))?.includes('10.1.1.1')).toBe(true)
  for (const broken of [settings({ ipAllowlist: '10.0.0.0/8' }), settings({ ipAllowlist: ['x'] }), '{'])
    expect(() => allowlistOf(broken)).toThrow(AppError)
})
