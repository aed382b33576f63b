import type { Updateable } from 'kysely'
import type {
  AttributeMapping,
  createSsoProvider,
  SsoPreset,
  updateSsoProvider,
} from '../../../../shared/api/sso-providers.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import { toJson } from '../../../lib/json.ts'
import { fieldError } from '../../../platform/errors.ts'
import type { Provider } from '../provider/store.ts'
import type { SsoProviderTable } from '../tables.ts'
import { assertNamesDomains } from './allowed-domains.ts'

/** The settings of a provider that can be saved as they are, without a discovery. */

export type Creation = BodyOf<typeof createSsoProvider>
export type Update = BodyOf<typeof updateSsoProvider>
type Columns = Updateable<SsoProviderTable>

const defaultScopes = 'openid profile email'
const maxScopesLength = 500

/** Settings of a new provider: blank ones are taken from the preset, then from general defaults. */
export function newSettings(input: Creation, preset: SsoPreset | undefined) {
  assertSettings(input.type, input.enforceSSO ?? false, input)
  return {
    ...columnsOf(input),
    name: input.name,
    type: input.type,
    scopes: scopesFor(input.type, input.scopes || preset?.scopes),
    attribute_mapping: mappingOf(
      input.attributeMapping ?? preset?.attributeMapping ?? { email: 'email', name: 'name' },
    ),
  }
}

/** The settings an update names. */
export function changedSettings(before: Provider, input: Update): Columns {
  const type = input.type ?? before.type
  assertSettings(type, input.enforceSSO ?? before.enforce_sso === 1, input)
  return {
    ...columnsOf(input),
    ...(input.name !== undefined && { name: input.name }),
    ...(input.type !== undefined && { type }),
    ...(input.scopes !== undefined && { scopes: scopesFor(type, input.scopes) }),
    ...(input.scopes === undefined && type !== before.type && { scopes: scopesFor(type, before.scopes) }),
    ...(input.attributeMapping && { attribute_mapping: mappingOf(input.attributeMapping) }),
  }
}

function assertSettings(type: Provider['type'], enforces: boolean, { allowedDomains }: Creation | Update): void {
  assertNamesDomains(allowedDomains)
  if (type === 'saml' && enforces)
    throw fieldError('enforceSSO', 'Nobody can sign in through SAML yet, so passwords have to stay')
}

function columnsOf(input: Creation | Update): Columns {
  const flag = (value: boolean) => (value ? 1 : 0)
  const { clientId, autoProvision, allowedDomains, enforceSSO, trustsIdpMfa, entityId, ssoUrl, certificate } = input
  return {
    ...(clientId !== undefined && { client_id: clientId }),
    ...(autoProvision !== undefined && { auto_provision: flag(autoProvision) }),
    ...(allowedDomains !== undefined && { allowed_domains: allowedDomains }),
    ...(enforceSSO !== undefined && { enforce_sso: flag(enforceSSO) }),
    ...(trustsIdpMfa !== undefined && { trusts_idp_mfa: flag(trustsIdpMfa) }),
    ...(entityId !== undefined && { entity_id: entityId }),
    ...(ssoUrl !== undefined && { sso_url: ssoUrl }),
    ...(certificate !== undefined && { certificate }),
  }
}

/** The scope `openid` is added where it is missing: without it an OpenID provider sends no ID token. */
function scopesFor(type: Provider['type'], input: string | null | undefined): string {
  const scopes = input || defaultScopes
  const complete = type === 'oidc' && !scopes.split(/\s+/).includes('openid') ? `openid ${scopes}` : scopes
  if (complete.length > maxScopesLength)
    throw fieldError('scopes', `Must not be longer than ${maxScopesLength} characters`)
  return complete
}

/** Without claims that are left blank. */
const mappingOf = ({ email, name, firstName, lastName, groups }: AttributeMapping) =>
  toJson<AttributeMapping>({
    email,
    name,
    ...(firstName && { firstName }),
    ...(lastName && { lastName }),
    ...(groups && { groups }),
  })
