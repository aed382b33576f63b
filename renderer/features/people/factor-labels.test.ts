import { expect, test } from 'vitest'
import { factorText } from './factor-labels.ts'

test.each([
  [{ totp: true, sms: false, passkeys: 0 }, 'App'],
  [{ totp: false, sms: true, passkeys: 0 }, 'Texts'],
  [{ totp: false, sms: false, passkeys: 1 }, 'Passkey'],
  [{ totp: true, sms: false, passkeys: 2 }, 'App, 2 passkeys'],
  [{ totp: false, sms: false, passkeys: 0 }, ''],
])('the factors %j are shown as "%s"', (factors, words) => {
  expect(factorText(factors)).toBe(words)
})
