import { expect, test } from 'vitest'
import { customPartOf, findCustomPart, findIssuer, issuerFromParts } from './issuer.ts'

const entra = 'https://login.microsoftonline.com/{tenant}/v2.0'
const okta = 'https://{domain}.okta.com'
const google = 'https://accounts.google.com'

test('an issuer is put together from a template and its custom part', () => {
  expect(customPartOf(okta)).toBe('domain')
  expect(customPartOf(google)).toBeNull()
  expect(issuerFromParts(entra, ' contoso.example ')).toBe('https://login.microsoftonline.com/contoso.example/v2.0')
  expect(issuerFromParts(google, '')).toBe(google)
})

test.each([
  [okta, 'https://dev-123.okta.com/', 'dev-123'],
  [okta, 'dev-123.okta.com', 'dev-123'],
  [okta, 'https://login.corp.example', null],
  [okta, 'https://a.okta.com/oauth2/default', null],
  [entra, 'https://login.microsoftonline.com/1b2c/v2.0', '1b2c'],
  [entra, 'https://login.microsoftonline.com/1b2c/v2.0/.well-known/openid-configuration', '1b2c'],
  [entra, 'https://login.microsoftonline.com/1b2c/oauth2/v2.0', null],
  [google, 'https://accounts.google.com/', ''],
  [google, 'https://accounts.google.com.evil.example', null],
])('the custom part of %s is found in the pasted text %s', (template, pasted, part) => {
  expect(findCustomPart(template, pasted)).toBe(part)
})

test('the issuer is taken from the address of its discovery document', () => {
  const issuer = 'https://idp.example/realms/corp'
  expect(findIssuer(` ${issuer}/.well-known/openid-configuration`)).toBe(issuer)
  expect(findIssuer(`${issuer}/`)).toBe(`${issuer}/`)
})
