export const name = '006-sso'

export const sql = `
CREATE TABLE sso_providers (
  id TEXT PRIMARY KEY,
  org_id TEXT REFERENCES organizations (id),
  partner_id TEXT REFERENCES partners (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  type TEXT NOT NULL CHECK (type IN ('oidc', 'saml')),
  status TEXT NOT NULL DEFAULT 'inactive' CHECK (status IN ('active', 'inactive', 'testing')),
  issuer TEXT CHECK (length(issuer) <= 500),
  client_id TEXT CHECK (length(client_id) <= 255),
  client_secret TEXT,
  authorization_url TEXT CHECK (length(authorization_url) <= 500),
  token_url TEXT CHECK (length(token_url) <= 500),
  userinfo_url TEXT CHECK (length(userinfo_url) <= 500),
  jwks_url TEXT CHECK (length(jwks_url) <= 500),
  scopes TEXT NOT NULL DEFAULT 'openid profile email' CHECK (length(scopes) <= 500),
  entity_id TEXT CHECK (length(entity_id) <= 500),
  sso_url TEXT CHECK (length(sso_url) <= 500),
  certificate TEXT,
  attribute_mapping TEXT NOT NULL CHECK (json_valid(attribute_mapping)),
  auto_provision INTEGER NOT NULL DEFAULT 1 CHECK (auto_provision IN (0, 1)),
  default_role_id TEXT REFERENCES roles (id) ON DELETE SET NULL,
  -- who answers for that role: without them nobody new is let in
  default_role_configured_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  allowed_domains TEXT CHECK (length(allowed_domains) <= 1000),
  enforce_sso INTEGER NOT NULL DEFAULT 0 CHECK (enforce_sso IN (0, 1)),
  trusts_idp_mfa INTEGER NOT NULL DEFAULT 0 CHECK (trusts_idp_mfa IN (0, 1)),
  -- one more with every change: a sign-in that began before it does not come through
  config_version INTEGER NOT NULL DEFAULT 1,
  -- of the discovery document, what no column holds
  discovery_metadata TEXT CHECK (json_valid(discovery_metadata)),
  discovery_error TEXT,
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((org_id IS NULL) <> (partner_id IS NULL))
) STRICT;
CREATE INDEX sso_providers_org ON sso_providers (org_id, status, created_at, id) WHERE org_id IS NOT NULL;
CREATE INDEX sso_providers_partner ON sso_providers (partner_id, status, created_at, id) WHERE partner_id IS NOT NULL;
CREATE INDEX sso_providers_role ON sso_providers (default_role_id) WHERE default_role_id IS NOT NULL;

-- whom an identity provider calls external_id; the address is what it said last and finds nobody
CREATE TABLE user_sso_identities (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
  external_id TEXT NOT NULL CHECK (length(external_id) BETWEEN 1 AND 255),
  email TEXT CHECK (length(email) <= 255),
  profile TEXT CHECK (json_valid(profile)),
  access_token TEXT,
  refresh_token TEXT,
  token_expires_at TEXT,
  last_login_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (provider_id, external_id),
  UNIQUE (user_id, provider_id)
) STRICT;

-- a sign-in, or a connection of an account, that is on its way to the identity provider and back
CREATE TABLE sso_sessions (
  id TEXT PRIMARY KEY,
  provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
  provider_version INTEGER NOT NULL,
  state TEXT NOT NULL UNIQUE CHECK (length(state) <= 64),
  nonce TEXT NOT NULL CHECK (length(nonce) <= 64),
  code_verifier TEXT NOT NULL CHECK (length(code_verifier) <= 128),
  redirect_url TEXT NOT NULL CHECK (length(redirect_url) <= 500),
  -- never told from link_user_id: what was a link stays one when its user is gone
  mode TEXT NOT NULL CHECK (mode IN ('login', 'link')),
  link_user_id TEXT REFERENCES users (id) ON DELETE SET NULL,
  initiating_auth_epoch INTEGER,
  initiating_mfa_epoch INTEGER,
  initiating_session_id TEXT,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX sso_sessions_expires ON sso_sessions (expires_at);
CREATE INDEX sso_sessions_provider ON sso_sessions (provider_id);
CREATE INDEX sso_sessions_link_user ON sso_sessions (link_user_id) WHERE link_user_id IS NOT NULL;

-- codes of identity providers that came back, whatever came of it: SHA-256
CREATE TABLE sso_seen_codes (
  code_digest TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sso_seen_codes_expires ON sso_seen_codes (expires_at);

-- what a one-time code is good for; tokens are made when it is redeemed
CREATE TABLE sso_exchange_grants (
  id TEXT PRIMARY KEY,
  -- SHA-256 of the code
  code_digest TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
  provider_version INTEGER NOT NULL,
  membership_id TEXT NOT NULL,
  -- the identity provider saw a second factor, and its word counts
  mfa INTEGER NOT NULL CHECK (mfa IN (0, 1)),
  auth_epoch INTEGER NOT NULL,
  mfa_epoch INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX sso_exchange_grants_expires ON sso_exchange_grants (expires_at);
CREATE INDEX sso_exchange_grants_user ON sso_exchange_grants (user_id);
CREATE INDEX sso_exchange_grants_provider ON sso_exchange_grants (provider_id);

-- several organizations may prove the same domain
CREATE TABLE sso_verified_domains (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  domain TEXT NOT NULL CHECK (length(domain) BETWEEN 1 AND 253 AND domain = lower(domain)),
  verification_token TEXT NOT NULL CHECK (length(verification_token) <= 128),
  verified_at TEXT,
  last_checked_at TEXT,
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (org_id, domain)
) STRICT;
CREATE INDEX sso_verified_domains_domain ON sso_verified_domains (domain) WHERE verified_at IS NOT NULL;

-- through which provider somebody came; it stays when that is gone, as the session stays what it was
ALTER TABLE sessions ADD COLUMN sso_provider_id TEXT;
CREATE INDEX sessions_sso_provider ON sessions (sso_provider_id) WHERE sso_provider_id IS NOT NULL;

-- on whose word alone it was made: by itself it opens no more than that provider does
ALTER TABLE user_passkeys ADD COLUMN sso_provider_id TEXT;
`
