import { expect, test } from 'vitest'
import { type ErrorCode, errorTable, wireCodeOf } from '../../shared/errors.ts'
import { ApiError } from './api-error.ts'
import { isWrongPassword, wordsFor } from './error-words.ts'
import { SpokenError } from './spoken-error.ts'

const rows = Object.keys(errorTable) as ErrorCode[]
/** As the client makes it of an answer. */
const asReceived = (row: ErrorCode) =>
  new ApiError(errorTable[row].status, wireCodeOf(row), { error: errorTable[row].error, code: wireCodeOf(row) })

test.each(rows)('%s is told as a sentence', (row) => {
  const text = wordsFor(asReceived(row))
  expect(text).toMatch(/^[A-Z]/)
  // Names of the program's own things; the variables an administrator has to set are written in capitals.
  expect(text).not.toMatch(/[a-z]_[a-z]|\b(MFA|TOTP|CSRF|JSON|SMS)\b/)
})

test('refusals that share a code are told apart by their status', () => {
  expect(wordsFor(asReceived('invalid_credentials'))).toMatch(/e-mail or password/i)
  expect(wordsFor(asReceived('current_password_incorrect'))).toBe('That password is not right.')
  expect(isWrongPassword(asReceived('current_password_incorrect'))).toBe(true)
  expect(isWrongPassword(asReceived('invalid_credentials'))).toBe(false)
  expect(wordsFor(asReceived('login_ip_not_allowed'))).toMatch(/signing in/)
})

test('too many tries say how long to wait', () => {
  expect(wordsFor(new ApiError(429, 'rate_limited', { retryAfter: 42 }))).toMatch(/Try again in 42 seconds\.$/)
  expect(wordsFor(new ApiError(429, 'rate_limited', { retryAfter: 600 }))).toMatch(/Try again in 10 minutes\.$/)
})

test('a failure that speaks for itself keeps its words; a bug of the console tells nothing', () => {
  expect(wordsFor(new SpokenError('No passkey was used.'))).toBe('No passkey was used.')
  expect(wordsFor(new TypeError('x is undefined'))).not.toMatch(/undefined/)
})
