import type { Updateable } from 'kysely'
import type {
  AttributeMapping,
  createSsoProvider,
  SsoPreset,
  updateSsoProvider,
} from '../../../../shared/api/sso-providers.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import { fieldError } from '../../../platform/errors.ts'
import type { Provider } from '../store.ts'
import type { SsoProviderTable } from '../tables.ts'
import { assertNamesDomains } from './allowed-domains.ts'

/** What administrators say about a provider, as it is kept; nothing here has to ask anybody. */

export type Creation = BodyOf<typeof createSsoProvider>
export type Update = BodyOf<typeof updateSsoProvider>
type Columns = Updateable<SsoProviderTable>

const plainScopes = 'openid profile email'
const mostScopes = 500

/** Those of a new provider: what the body leaves blank comes from the preset, then from what fits most. */
export function newSettings(wanted: Creation, preset: SsoPreset | undefined) {
  assertSettings(wanted.type, wanted.enforceSSO ?? false, wanted)
  return {
    ...columnsOf(wanted),
    name: wanted.name,
    type: wanted.type,
    scopes: scopesFor(wanted.type, wanted.scopes || preset?.scopes),
    attribute_mapping: mappingOf(
      wanted.attributeMapping ?? preset?.attributeMapping ?? { email: 'email', name: 'name' },
    ),
  }
}

/** Those an update names; what it leaves out stays as it is. */
export function changedSettings(before: Provider, wanted: Update): Columns {
  const type = wanted.type ?? before.type
  assertSettings(type, wanted.enforceSSO ?? before.enforce_sso === 1, wanted)
  return {
    ...columnsOf(wanted),
    ...(wanted.name !== undefined && { name: wanted.name }),
    ...(wanted.type !== undefined && { type }),
    ...(wanted.scopes !== undefined && { scopes: scopesFor(type, wanted.scopes) }),
    ...(wanted.scopes === undefined && type !== before.type && { scopes: scopesFor(type, before.scopes) }),
    ...(wanted.attributeMapping && { attribute_mapping: mappingOf(wanted.attributeMapping) }),
  }
}

function assertSettings(type: Provider['type'], enforces: boolean, { allowedDomains }: Creation | Update): void {
  assertNamesDomains(allowedDomains)
  if (type === 'saml' && enforces)
    throw fieldError('enforceSSO', 'Nobody can sign in through SAML yet, so passwords have to stay')
}

function columnsOf(wanted: Creation | Update): Columns {
  const flag = (value: boolean) => (value ? 1 : 0)
  const { clientId, autoProvision, allowedDomains, enforceSSO, trustsIdpMfa, entityId, ssoUrl, certificate } = wanted
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

/** Without `openid` an OpenID provider sends no ID token. */
function scopesFor(type: Provider['type'], wanted: string | null | undefined): string {
  const scopes = wanted || plainScopes
  const complete = type === 'oidc' && !scopes.split(/\s+/).includes('openid') ? `openid ${scopes}` : scopes
  if (complete.length > mostScopes) throw fieldError('scopes', `Must not be longer than ${mostScopes} characters`)
  return complete
}

/** Blank ones are not asked for. */
const mappingOf = (mapping: AttributeMapping): string =>
  JSON.stringify(Object.fromEntries(Object.entries(mapping).filter(([, claim]) => claim)))
