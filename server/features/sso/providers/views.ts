import type { ListedSsoProvider, SsoProvider } from '../../../../shared/api/sso-providers.ts'
import { fromJson } from '../../../lib/json.ts'
import type { Outbound } from '../outbound/index.ts'
import { ownerOf, type Provider } from '../provider/store.ts'

/** Providers as the API shows them; of the client secret only whether there is one. */
export class ProviderViews {
  readonly #outbound: Outbound

  constructor(outbound: Outbound) {
    this.#outbound = outbound
  }

  readonly one = (row: Provider): SsoProvider => ({
    id: row.id,
    orgId: row.org_id,
    partnerId: row.partner_id,
    name: row.name,
    type: row.type,
    status: row.status,
    issuer: row.issuer,
    clientId: row.client_id,
    hasClientSecret: row.client_secret !== null,
    authorizationUrl: row.authorization_url,
    tokenUrl: row.token_url,
    userInfoUrl: row.userinfo_url,
    jwksUrl: row.jwks_url,
    scopes: row.scopes,
    entityId: row.entity_id,
    ssoUrl: row.sso_url,
    certificate: row.certificate,
    attributeMapping: fromJson(row.attribute_mapping),
    autoProvision: row.auto_provision === 1,
    defaultRoleId: row.default_role_id,
    defaultRoleConfiguredBy: row.default_role_configured_by,
    allowedDomains: row.allowed_domains,
    enforceSSO: row.enforce_sso === 1,
    trustsIdpMfa: row.trusts_idp_mfa === 1,
    configVersion: row.config_version,
    discoveryError: row.discovery_error,
    network: this.#networkOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  })

  readonly listed = (row: Provider): ListedSsoProvider => ({
    id: row.id,
    name: row.name,
    type: row.type,
    status: row.status,
    issuer: row.issuer,
    autoProvision: row.auto_provision === 1,
    enforceSSO: row.enforce_sso === 1,
    trustsIdpMfa: row.trusts_idp_mfa === 1,
    network: this.#networkOf(row),
    createdAt: row.created_at,
    ...(row.partner_id !== null && { partnerId: row.partner_id }),
  })

  #networkOf(row: Provider): SsoProvider['network'] {
    const addresses = [row.issuer, row.authorization_url, row.token_url, row.userinfo_url, row.jwks_url]
    const isPrivate = addresses.some((url) => this.#outbound.networkOf(url, ownerOf(row)) === 'private-allowlisted')
    return isPrivate ? 'private-allowlisted' : 'public'
  }
}
