import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { passkeyMessages, withPasskeyErrors } from './passkeys.ts'

const named = (name: string, message = '') => Object.assign(new Error(message), { name })
const otherwise = 'Nothing was used.'

test('a passkey error of the browser has a helpful message', () => {
  const tls = named('NotAllowedError', 'WebAuthn is not supported on sites with TLS certificate errors.')
  expect(passkeyMessages(tls, otherwise)).toMatch(/certificate/)
  expect(passkeyMessages(named('SecurityError', '10.0.0.4 is an invalid domain'), otherwise)).toMatch(/address/)
  expect(passkeyMessages(named('InvalidStateError'), otherwise)).toMatch(/already/)
  expect(passkeyMessages(named('NotSupportedError'), otherwise)).toMatch(/another device/)
})

test('a declined, timed-out or missing passkey gets the general message', () => {
  expect(passkeyMessages(named('NotAllowedError', 'The operation timed out or was not allowed.'), otherwise)).toBe(
    otherwise,
  )
  expect(passkeyMessages('nothing', otherwise)).toBe(otherwise)
})

test('a refused passkey has a message about passkeys, and every other refusal keeps its own', async () => {
  const refused = (code: 'mfa_proof_invalid' | 'rate_limited') =>
    withPasskeyErrors(Promise.reject(new ApiError(400, code)))
  await expect(refused('mfa_proof_invalid')).rejects.toThrow('This passkey couldn’t be verified.')
  await expect(refused('rate_limited')).rejects.toMatchObject({ code: 'rate_limited' })
  await expect(withPasskeyErrors(Promise.resolve(1))).resolves.toBe(1)
})
