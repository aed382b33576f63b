import type { Generated } from 'kysely'
import type { AttributeMapping } from '../../../shared/api/sso-providers.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

/** What is stored of a discovery document beside the endpoints. */
export interface DiscoveryMetadata {
  issuer: string
  token_endpoint_auth_methods_supported?: string[] | undefined
  id_token_signing_alg_values_supported?: string[] | undefined
  authorization_response_iss_parameter_supported?: boolean | undefined
  fetchedAt: string
}

export interface SsoProviderTable {
  id: string
  /** Of an organization or of a partner, never both. */
  org_id: string | null
  partner_id: string | null
  name: string
  type: 'oidc' | 'saml'
  status: Generated<'active' | 'inactive' | 'testing'>
  issuer: string | null
  client_id: string | null
  client_secret: string | null
  authorization_url: string | null
  token_url: string | null
  userinfo_url: string | null
  jwks_url: string | null
  scopes: Generated<string>
  entity_id: string | null
  sso_url: string | null
  certificate: string | null
  attribute_mapping: JsonText<AttributeMapping>
  auto_provision: Generated<Flag>
  default_role_id: string | null
  default_role_configured_by: string | null
  allowed_domains: string | null
  enforce_sso: Generated<Flag>
  trusts_idp_mfa: Generated<Flag>
  config_version: Generated<number>
  discovery_metadata: JsonText<Partial<DiscoveryMetadata>> | null
  discovery_error: string | null
  created_by: string | null
  created_at: string
  updated_at: string
}

export interface UserSsoIdentityTable {
  id: string
  user_id: string
  provider_id: string
  external_id: string
  email: string | null
  profile: string | null
  access_token: string | null
  refresh_token: string | null
  token_expires_at: string | null
  last_login_at: string | null
  created_at: string
  updated_at: string
}

export interface SsoSessionTable {
  id: string
  provider_id: string
  provider_version: number
  state: string
  nonce: string
  code_verifier: string
  redirect_url: string
  mode: 'login' | 'link'
  link_user_id: string | null
  initiating_auth_epoch: number | null
  initiating_mfa_epoch: number | null
  initiating_session_id: string | null
  expires_at: string
  created_at: string
}

export interface SsoSeenCodeTable {
  code_digest: string
  expires_at: string
}

export interface SsoExchangeGrantTable {
  id: string
  code_digest: string
  user_id: string
  provider_id: string
  provider_version: number
  membership_id: string
  mfa: Flag
  auth_epoch: number
  mfa_epoch: number
  created_at: string
  expires_at: string
}

export interface SsoVerifiedDomainTable {
  id: string
  org_id: string
  domain: string
  verification_token: string
  verified_at: string | null
  last_checked_at: string | null
  created_by: string | null
  created_at: string
  updated_at: string
}

export const ssoTables = {
  sso_providers: table<SsoProviderTable>({
    writtenBy: ['sso'],
    tenancy: { by: 'none', because: 'of a partner or of an organization; its store brings the rule' },
    merge: { policy: 'custom' },
    erasure: { goWith: 'organization' },
  }),
  user_sso_identities: table<UserSsoIdentityTable>({
    writtenBy: ['sso'],
    tenancy: {
      by: 'none',
      because: 'of an identity; read by its user, or by the subject a provider vouches for',
    },
    merge: { policy: 'follows-parent', parent: 'sso_providers' },
    erasure: { goWith: 'reference', to: 'sso_providers' },
  }),
  sso_sessions: table<SsoSessionTable>({
    writtenBy: ['sso'],
    tenancy: { by: 'none', because: 'read by the state that a browser brings back' },
    merge: { policy: 'follows-parent', parent: 'sso_providers' },
    erasure: { goWith: 'reference', to: 'sso_providers' },
  }),
  sso_seen_codes: table<SsoSeenCodeTable>({
    writtenBy: ['sso'],
    tenancy: { by: 'none', because: 'read by the digest of a code' },
    merge: { policy: 'none', because: 'of nobody, and short-lived' },
    erasure: { stay: 'of nobody, and short-lived' },
  }),
  sso_exchange_grants: table<SsoExchangeGrantTable>({
    writtenBy: ['sso'],
    tenancy: { by: 'none', because: 'read by the digest of a code' },
    merge: { policy: 'follows-parent', parent: 'sso_providers' },
    erasure: { goWith: 'reference', to: 'sso_providers' },
  }),
  sso_verified_domains: table<SsoVerifiedDomainTable>({
    writtenBy: ['sso'],
    tenancy: { by: 'organization', org: 'org_id' },
    merge: { policy: 'dedupe', same: ['domain'] },
    erasure: { goWith: 'organization' },
  }),
}
