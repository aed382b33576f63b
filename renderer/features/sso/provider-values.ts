import type { FormErrors } from '@mantine/form'
import type { SsoPreset, SsoProvider } from '../../../shared/api/sso-providers.ts'
import type { addProvider, ProviderChange } from '../../data/sso-providers.ts'
import { customPartOf, issuerFromParts } from './issuer.ts'
import type { PresetOption } from './presets.ts'

const mappingOf = (mapping: Partial<SsoProvider['attributeMapping']> = {}) => ({
  email: mapping.email ?? 'email',
  name: mapping.name ?? 'name',
  firstName: mapping.firstName ?? '',
  lastName: mapping.lastName ?? '',
  groups: mapping.groups ?? '',
})

/** Initial values of the form, new or stored. */
export const valuesOf = (from: Partial<SsoProvider>) => ({
  name: from.name ?? '',
  /** The variable part of a templated issuer. */
  part: '',
  issuer: from.issuer ?? '',
  clientId: from.clientId ?? '',
  /** Never returned by the API. */
  clientSecret: '',
  scopes: from.scopes ?? '',
  attributeMapping: mappingOf(from.attributeMapping),
  authorizationUrl: from.authorizationUrl ?? '',
  tokenUrl: from.tokenUrl ?? '',
  userInfoUrl: from.userInfoUrl ?? '',
  jwksUrl: from.jwksUrl ?? '',
  allowedDomains: from.allowedDomains ?? '',
  autoProvision: from.autoProvision ?? false,
  defaultRoleId: from.defaultRoleId ?? '',
  trustsIdpMfa: from.trustsIdpMfa ?? false,
  entityId: from.entityId ?? '',
  ssoUrl: from.ssoUrl ?? '',
  certificate: from.certificate ?? '',
})
export type ProviderValues = ReturnType<typeof valuesOf>

/** The template of a preset's issuer, whose variable part is asked for unless the user enters the full issuer. */
export const templateOf = (preset: SsoPreset | undefined): string | null =>
  preset?.issuerTemplate && customPartOf(preset.issuerTemplate) ? preset.issuerTemplate : null

export const newValues = ({ id, guide, preset, type }: PresetOption): ProviderValues =>
  valuesOf({
    name: id === 'other' ? '' : guide.name,
    scopes: preset?.scopes || 'openid profile email',
    attributeMapping: preset?.attributeMapping ?? standardClaims,
    issuer: type === 'oidc' && !templateOf(preset) ? (preset?.issuerTemplate ?? '') : '',
  })

/** Claim names of OpenID Connect. */
const standardClaims = { email: 'email', name: 'name', firstName: 'given_name', lastName: 'family_name' }

const isHttps = (text: string) => URL.canParse(text) && new URL(text).protocol === 'https:'
const wrongAddress = (text: string, isNeeded = false): string | null =>
  (text.trim() || isNeeded) && !isHttps(text.trim()) ? 'Enter an address that starts with https://' : null

/** Names that stand for all tenants at Microsoft. */
const everyTenant = /^(common|organizations|consumers)$/i

/** Validation rules; with `template`, for the variable part of the issuer. */
export function validationRules(
  values: ProviderValues,
  type: SsoProvider['type'],
  template: string | null,
): FormErrors {
  const part = values.part.trim()
  const errors: FormErrors = {
    name: values.name.trim() ? null : 'Enter a name',
    ssoUrl: wrongAddress(values.ssoUrl),
    allowedDomains: wrongDomain(values.allowedDomains),
    ...(type === 'oidc' && {
      issuer: template ? null : wrongAddress(values.issuer, true),
      part: template ? wrongPart(part) : null,
      'attributeMapping.email': values.attributeMapping.email.trim() ? null : 'Enter a claim',
      'attributeMapping.name': values.attributeMapping.name.trim() ? null : 'Enter a claim',
    }),
    ...Object.fromEntries(endpointNames.map((name) => [name, wrongAddress(values[name])])),
  }
  return Object.fromEntries(Object.entries(errors).filter(([, trouble]) => trouble))
}

function wrongPart(part: string): string | null {
  if (!part) return 'Enter it'
  if (everyTenant.test(part)) return 'That address serves all customers. Enter your own.'
  return /[/\s]/.test(part) ? 'Enter only this part, or the full address instead' : null
}

/** An invalid domain would silently let nobody in. */
function wrongDomain(list: string): string | null {
  const wrong = list.split(/[\s,]+/).find((one) => one && !/^@?[^\s@*:;/]+\.[^\s@*:;/.]+\.?$/.test(one))
  return wrong ? `“${wrong}” isn’t a domain. Enter domains like contoso.com, separated by commas.` : null
}

export const endpointNames = ['authorizationUrl', 'tokenUrl', 'userInfoUrl', 'jwksUrl'] as const

type New = Parameters<ReturnType<typeof addProvider>['mutationFn']>[0]

/** Request for a new provider; the server chooses what is left empty. */
export function bodyOf(values: ProviderValues, { id, preset, type }: PresetOption, template: string | null): New {
  const { part, authorizationUrl, tokenUrl, userInfoUrl, jwksUrl, issuer, clientId, clientSecret, scopes, ...rest } =
    values
  const { entityId, ssoUrl, certificate, ...common } = rest
  return {
    ...common,
    type,
    ...(preset && { preset: id }),
    ...(type === 'oidc'
      ? { issuer: template ? issuerFromParts(template, part) : issuer, clientId, clientSecret, scopes }
      : { entityId, ssoUrl, certificate }),
  }
}

/** Changed fields only: sending an unchanged default role would make the user responsible for it. */
export function changesOf(values: ProviderValues, provider: SsoProvider): ProviderChange {
  const { part, ...now } = values
  const before: Partial<Record<string, unknown>> = valuesOf(provider)
  const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed)
}
