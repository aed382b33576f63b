import { expect, test } from 'vitest'
import { AppError } from '../../../platform/errors.ts'
import { allowlistOf, securityPolicyOf } from './security-settings.ts'

const settings = (security: unknown) => JSON.stringify({ security })
const policyOf = (partner: unknown, organization: unknown) =>
  securityPolicyOf(settings(partner), settings(organization))
const both = { totp: true, sms: true }

test('with missing or malformed settings, MFA is optional, TOTP and SMS are allowed and the grace period is 14 days', () => {
  const usual = { requireMfa: false, allowedMethods: both, graceDays: 14 }
  expect(securityPolicyOf(null, null)).toEqual(usual)
  for (const odd of [undefined, null, 'x', [1]]) expect(policyOf(odd, odd)).toEqual(usual)
})

test('MFA is required as soon as the partner or the organization sets requireMfa to true', () => {
  expect(policyOf({ requireMfa: false }, { requireMfa: true }).requireMfa).toBe(true)
  expect(policyOf({ requireMfa: true }, { requireMfa: false }).requireMfa).toBe(true)
  expect(policyOf({ requireMfa: 'true' }, { requireMfa: 1 }).requireMfa).toBe(false)
})

test("the partner's allowed methods replace the organization's as a whole", () => {
  expect(policyOf({}, { allowedMfaMethods: { sms: false } }).allowedMethods).toEqual({ totp: true, sms: false })
  expect(
    policyOf({ allowedMfaMethods: { totp: false } }, { allowedMfaMethods: { sms: false } }).allowedMethods,
  ).toEqual({
    totp: false,
    sms: true,
  })
  expect(policyOf({ allowedMfaMethods: {} }, { allowedMfaMethods: { sms: false } }).allowedMethods).toEqual(both)
})

test("the grace period is a whole number from 0 to 30 days, and the partner's value wins over the organization's", () => {
  const days = (partner: unknown, organization?: unknown) =>
    policyOf({ mfaEnrollmentGraceDays: partner }, { mfaEnrollmentGraceDays: organization }).graceDays
  expect([days(0), days(7, 3), days(undefined, 3), days(99), days(-1), days(1.5), days('x')]).toEqual([
    0, 7, 3, 30, 0, 14, 14,
  ])
})

test('an empty IP allow-list counts as none, and a malformed one throws an AppError', () => {
  for (const none of [undefined, null, []]) expect(allowlistOf(settings({ ipAllowlist: none }))).toBe(null)
  expect(allowlistOf(settings({ ipAllowlist: ['10.0.0.0/8'] }))?.includes('10.1.1.1')).toBe(true)
  for (const broken of [settings({ ipAllowlist: '10.0.0.0/8' }), settings({ ipAllowlist: ['x'] }), '{'])
    expect(() => allowlistOf(broken)).toThrow(AppError)
})
