import { expect, test } from 'vitest'
import { type PsaProvider, psaCredentialSets, psaProvider } from '../../../shared/api/psa.ts'
import { mergedCredentials } from './credentials.ts'

const baseUrl = 'https://desk.acme.test/app'
const filled = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, `${key} of Acme`]))
const refused = (message: string) =>
  expect.objectContaining({
    code: 'validation_failed',
    extra: expect.objectContaining({ error: expect.stringContaining(message) }),
  })

const everySet = psaProvider.options.flatMap((provider) =>
  psaCredentialSets[provider].map((keys): [PsaProvider, readonly string[]] => [provider, keys]),
)

test.each(everySet)('%s accepts %j with a base URL and refuses a blank value for any of them', (provider, keys) => {
  const whole = { baseUrl, ...filled(keys) }
  expect(mergedCredentials(provider, {}, whole)).toEqual(whole)
  for (const key of keys)
    for (const nothing of ['', '  ', null])
      expect(() => mergedCredentials(provider, {}, { ...whole, [key]: nothing })).toThrow(refused(key))
})

test.each([
  undefined,
  '',
  'desk.acme.test',
  'http://desk.acme.test',
  'ftp://x',
  'https://u:p@x.test',
  'https://x.test?a=1',
  'https://x.test/?',
  'https://x.test/#',
])('the base URL %j is refused', (address) => {
  const credentials = { ...(address !== undefined && { baseUrl: address }), apiKey: 'x' }
  expect(() => mergedCredentials('freshservice', {}, credentials)).toThrow(refused('baseUrl'))
})

test('a base URL with a private address or a single-label host name is accepted', () => {
  for (const address of ['https://192.168.0.7:8443', 'https://desk'])
    expect(mergedCredentials('freshservice', {}, { baseUrl: address, apiKey: 'x' }).baseUrl).toBe(address)
})

test('stored credentials are not reused when the base URL changes to another origin', () => {
  const stored = { baseUrl, apiKey: 'x' }
  for (const elsewhere of ['https://evil.test', 'https://desk.acme.test:8443', 'https://desk.acme.test.evil.test'])
    expect(() => mergedCredentials('freshservice', stored, { baseUrl: elsewhere })).toThrow(refused('apiKey required'))
  const moved = mergedCredentials(
    'freshservice',
    { ...stored, note: 'y' },
    { baseUrl: 'https://new.test', apiKey: 'z' },
  )
  expect(moved).toEqual({ baseUrl: 'https://new.test', apiKey: 'z' })
  const path = 'https://desk.acme.test/other'
  expect(mergedCredentials('freshservice', stored, { baseUrl: path })).toEqual({ baseUrl: path, apiKey: 'x' })
})

test('credentials of another Jira sign-in method replace those of the previous one', () => {
  const token = { baseUrl, email: 'a@x.test', apiToken: 'one', note: 'kept' }
  const withPassword = mergedCredentials('jira', token, { username: 'a', password: 'p' })
  expect(withPassword).toEqual({ baseUrl, note: 'kept', username: 'a', password: 'p' })
  const personal = mergedCredentials('jira', withPassword, { personalAccessToken: 't' })
  expect(personal).toEqual({ baseUrl, note: 'kept', personalAccessToken: 't' })
  expect(() => mergedCredentials('jira', personal, { apiToken: 'two' })).toThrow(refused('email'))
  expect(mergedCredentials('jira', token, { apiToken: 'two' })).toEqual({ ...token, apiToken: 'two' })
  expect(mergedCredentials('jira', token, { note: null })).not.toHaveProperty('note')
})
