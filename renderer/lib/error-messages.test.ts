import { expect, test } from 'vitest'
import { type ErrorCode, errorTable, wireCodeOf } from '../../shared/errors/index.ts'
import type { Refusals } from '../../shared/errors/refusals.ts'
import { ApiError } from './api-error.ts'
import { fieldErrorsOf, isWrongPassword, messageFor } from './error-messages.ts'
import { UserFacingError } from './user-facing-error.ts'

const rows = Object.keys(errorTable) as ErrorCode[]
/** The error as the client creates it from a reply. */
const asReceived = (row: ErrorCode) =>
  new ApiError(errorTable[row].status, wireCodeOf(row), { error: errorTable[row].error, code: wireCodeOf(row) })

test.each(rows)('the message of %s is a sentence', (row) => {
  const text = messageFor(asReceived(row))
  expect(text).toMatch(/^[A-Z]/)
  // No internal names; environment variables, in capitals, are allowed.
  expect(text).not.toMatch(/[a-z]_[a-z]|\b(MFA|TOTP|CSRF|JSON|SMS)\b/)
})

test('a refusal without a text for the screen does not compile', () => {
  // @ts-expect-error `tsc -b` fails when this line compiles: `onScreen` is missing.
  const errors: Refusals = { site_painted: { status: 409, error: 'Site is painted' } }
  expect(errors).toBeDefined()
})

test('refusals that share a code are told apart by their status', () => {
  expect(messageFor(asReceived('invalid_credentials'))).toMatch(/email or password/i)
  expect(messageFor(asReceived('current_password_incorrect'))).toBe('Wrong password.')
  expect(isWrongPassword(asReceived('current_password_incorrect'))).toBe(true)
  expect(isWrongPassword(asReceived('invalid_credentials'))).toBe(false)
  expect(messageFor(asReceived('login_ip_not_allowed'))).toMatch(/allow sign-in/)
})

test.each([
  [3, 'a few seconds'],
  [42, 'a minute'],
  [61, '2 minutes'],
  [300, '5 minutes'],
  [3599, 'an hour'],
  [7000, '2 hours'],
  [86_400, '24 hours'],
  [604_799, '7 days'],
])('a rate limit says how long to wait: %i seconds are %s', (retryAfter, words) => {
  expect(messageFor(new ApiError(429, 'rate_limited', { retryAfter }))).toBe(
    `Too many attempts. Try again in ${words}.`,
  )
})

test('the message about a limit has its number', () => {
  const refused = (body: object) => messageFor(new ApiError(409, 'ORGANIZATION_LIMIT_REACHED', body))
  expect(refused({ maxOrganizations: 4 })).toMatch(/reached its limit of 4 /)
  expect(refused({})).toBe('Organization limit reached')
})

test('a user-facing error keeps its message, and a bug of the console reveals nothing', () => {
  expect(messageFor(new UserFacingError('No passkey was used.'))).toBe('No passkey was used.')
  expect(messageFor(new TypeError('x is undefined'))).not.toMatch(/undefined/)
})

test.each<ErrorCode>(['slug_taken', 'slug_reserved', 'partner_slug_taken'])('%s is shown at the short name', (row) => {
  expect(fieldErrorsOf(asReceived(row))).toEqual({ slug: messageFor(asReceived(row)) })
})
