import { expect, test } from 'vitest'
import { explainProviderError, providerErrorReason } from './explain-provider-error.ts'

test.each([
  ['the name idp.corp.lan could not be resolved', /resolve this host name/],
  ['idp.corp.lan resolves to an address that is not allowed; ask the appliance operator to list it', /with this port/],
  [
    'the certificate of idp.corp.lan is not from an authority that counts here (SELF_SIGNED_CERT_IN_CHAIN)',
    /your own CA/,
  ],
  ['the certificate of idp.corp.lan has expired (CERT_HAS_EXPIRED)', /renewed/],
  ['idp.corp.lan did not answer within 10 seconds', /in time/],
  ['idp.corp.lan could not be reached (ECONNREFUSED)', /no route to this server/],
  ['idp.corp.lan answered 404 at /realms/x/.well-known/openid-configuration', /part is missing/],
  ['what idp.corp.lan answers at /.well-known/openid-configuration is no discovery document', /not as an identity/],
  [
    'the discovery document names another issuer, "https://other.example"; both must be the same',
    /another address for itself/,
  ],
  ['the discovery document of idp.corp.lan has no usable "token_endpoint"', /manually/],
])('the provider error "%s" is explained', (said, words) => {
  expect(explainProviderError(said)).toMatch(words)
})

test('an unknown provider error has no explanation', () => {
  expect(explainProviderError('the moon is in the wrong house')).toBeNull()
})

test('the reason is taken out of the message of a failed discovery', () => {
  const reason = 'idp.example answered 500 at /x'
  expect(providerErrorReason(`OIDC discovery failed: ${reason}`)).toBe(reason)
  expect(providerErrorReason(`OIDC discovery failed for issuer "https://idp.example": ${reason}`)).toBe(reason)
  expect(providerErrorReason(reason)).toBe(reason)
})
