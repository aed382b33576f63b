import { expect, test } from 'vitest'
import type { SsoPreset, SsoProvider } from '../../../shared/api/sso-providers.ts'
import { presetOptionOf, presetOptions } from './presets.ts'
import { bodyOf, changesOf, newValues, templateOf, validationRules, valuesOf } from './provider-values.ts'

const attributeMapping = { email: 'email', name: 'name' }
const presets: SsoPreset[] = [
  {
    id: 'azure-ad',
    name: 'Microsoft Azure AD',
    type: 'oidc',
    scopes: 'openid profile email',
    attributeMapping,
    issuerTemplate: 'https://login.microsoftonline.com/{tenant}/v2.0',
  },
  {
    id: 'google',
    name: 'Google',
    type: 'oidc',
    scopes: 'openid',
    attributeMapping,
    issuerTemplate: 'https://accounts.google.com',
  },
  { id: 'okta-saml', name: 'Okta (SAML)', type: 'saml', scopes: '', attributeMapping },
]
const [entra, google, keycloak] = presetOptions(presets) as [never, never, never]

const provider: SsoProvider = {
  id: '0192a4c0-0000-7000-8000-000000000001',
  orgId: null,
  partnerId: '0192a4c0-0000-7000-8000-000000000002',
  name: 'Entra',
  type: 'oidc',
  status: 'active',
  issuer: 'https://login.microsoftonline.com/1b2c/v2.0',
  clientId: 'app',
  hasClientSecret: true,
  authorizationUrl: 'https://login.microsoftonline.com/1b2c/authorize',
  tokenUrl: null,
  userInfoUrl: null,
  jwksUrl: null,
  scopes: 'openid',
  entityId: null,
  ssoUrl: null,
  certificate: null,
  attributeMapping,
  autoProvision: true,
  defaultRoleId: '0192a4c0-0000-7000-8000-000000000003',
  defaultRoleConfiguredBy: null,
  allowedDomains: null,
  enforceSSO: false,
  trustsIdpMfa: false,
  configVersion: 1,
  discoveryError: null,
  network: 'public',
  createdBy: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

test('a new provider is put together from a preset and the custom part of its address', () => {
  const template = templateOf(presets[0])
  const values = { ...newValues(entra), part: '1b2c' }
  expect(validationRules(values, 'oidc', template)).toEqual({})
  const body = bodyOf(values, entra, template)
  expect(body).toMatchObject({ preset: 'azure-ad', issuer: provider.issuer, scopes: 'openid profile email' })
  expect(body).not.toHaveProperty('certificate')
  expect(bodyOf({ ...newValues(keycloak), issuer: 'https://id.corp.lan/realms/a' }, keycloak, null)).not.toHaveProperty(
    'preset',
  )
})

test('an issuer that admits every tenant is refused before it is sent', () => {
  const values = { ...newValues(entra), part: 'Common' }
  expect(validationRules(values, 'oidc', templateOf(presets[0]))).toEqual({
    part: expect.stringMatching(/all customers/),
  })
})

test.each([
  ['contoso.com, @contoso.de münchen.example.', undefined],
  ['contoso.com; contoso.de', 'contoso.com;'],
  ['*.contoso.com', '*.contoso.com'],
  ['ada@contoso.com', 'ada@contoso.com'],
  ['contoso.com, contoso', 'contoso'],
])('of the domains %s, the invalid one is named', (allowedDomains, wrong) => {
  const { allowedDomains: said } = validationRules({ ...valuesOf(provider), allowedDomains }, 'oidc', null)
  expect(said).toEqual(wrong && expect.stringContaining(`“${wrong}” isn’t a domain`))
})

test('the attribute mapping of a new provider is that of its preset, or the standard claims without one', () => {
  expect(newValues(keycloak).attributeMapping).toMatchObject({ firstName: 'given_name', lastName: 'family_name' })
  expect(newValues(google).attributeMapping).toMatchObject({ ...attributeMapping, firstName: '', lastName: '' })
})

test('the issuer of a preset without a custom part is filled in at once', () => {
  expect(templateOf(presets[1])).toBeNull()
  expect(newValues(google).issuer).toBe('https://accounts.google.com')
})

test('only changed values are sent', () => {
  const values = valuesOf(provider)
  expect(changesOf(values, provider)).toEqual({})
  expect(changesOf({ ...values, name: 'Entra ID', clientSecret: 'x' }, provider)).toEqual({
    name: 'Entra ID',
    clientSecret: 'x',
  })
  expect(changesOf({ ...values, attributeMapping: { ...values.attributeMapping, email: 'upn' } }, provider)).toEqual({
    attributeMapping: { email: 'upn', name: 'name', firstName: '', lastName: '', groups: '' },
  })
})

test('the preset of a provider is recognized by its issuer', () => {
  expect(presetOptionOf(provider, presets).guide.name).toBe('Microsoft Entra ID')
  expect(presetOptionOf({ type: 'oidc', issuer: 'https://accounts.google.com' }, presets).id).toBe('google')
  expect(presetOptionOf({ type: 'oidc', issuer: 'https://id.corp.lan/realms/a' }, presets).id).toBe('keycloak')
  expect(presetOptionOf({ type: 'oidc', issuer: null }, presets).id).toBe('other')
  expect(presetOptionOf({ type: 'saml', issuer: null }, presets).guide.name).toBe('SAML')
})
