import { expect, test } from 'vitest'
import { passkeyWords } from './passkeys.ts'

const named = (name: string, message = '') => Object.assign(new Error(message), { name })
const otherwise = 'Nothing was used.'

test('what a browser says about a passkey is told in words that help', () => {
  const tls = named('NotAllowedError', 'WebAuthn is not supported on sites with TLS certificate errors.')
  expect(passkeyWords(tls, otherwise)).toMatch(/certificate/)
  expect(passkeyWords(named('SecurityError', '10.0.0.4 is an invalid domain'), otherwise)).toMatch(/address/)
  expect(passkeyWords(named('InvalidStateError'), otherwise)).toMatch(/already/)
  expect(passkeyWords(named('NotSupportedError'), otherwise)).toMatch(/another device/)
})

test('declining, waiting too long and holding none look the same to a page', () => {
  expect(passkeyWords(named('NotAllowedError', 'The operation timed out or was not allowed.'), otherwise)).toBe(
    otherwise,
  )
  expect(passkeyWords('nothing', otherwise)).toBe(otherwise)
})
