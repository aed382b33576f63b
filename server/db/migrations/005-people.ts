export const name = '005-people'

export const sql = `
-- small and square, whatever was uploaded; users.avatar_url says where it is served
CREATE TABLE user_avatars (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  mime TEXT NOT NULL,
  data BLOB NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- the membership somebody with several has chosen for this session: a partner_users or organization_users id
ALTER TABLE sessions ADD COLUMN membership_id TEXT;

-- confined to no group at all never meant anything: an empty list says the same as none
UPDATE organization_users SET device_group_ids = NULL WHERE device_group_ids = '[]';

CREATE INDEX roles_partner ON roles (partner_id) WHERE partner_id IS NOT NULL;
CREATE INDEX roles_org ON roles (org_id) WHERE org_id IS NOT NULL;
CREATE INDEX roles_parent ON roles (parent_role_id) WHERE parent_role_id IS NOT NULL;
CREATE INDEX partner_users_role ON partner_users (role_id);
CREATE INDEX organization_users_role ON organization_users (role_id);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  -- SHA-256 of the key, which is shown once
  key_hash TEXT NOT NULL UNIQUE,
  key_prefix TEXT NOT NULL,
  scopes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(scopes)),
  -- calls in an hour
  rate_limit INTEGER NOT NULL DEFAULT 1000 CHECK (rate_limit BETWEEN 1 AND 100000),
  expires_at TEXT,
  last_used_at TEXT,
  usage_count INTEGER NOT NULL DEFAULT 0,
  -- whoever made it answers for it: it can do nothing that they can not
  created_by TEXT NOT NULL REFERENCES users (id),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'revoked', 'expired')),
  source TEXT NOT NULL DEFAULT 'manual' CHECK (source IN ('manual')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX api_keys_org ON api_keys (org_id, created_at DESC, id DESC);
CREATE INDEX api_keys_creator ON api_keys (created_by);

-- null: as long as everybody's
ALTER TABLE organizations ADD COLUMN audit_retention_days INTEGER CHECK (audit_retention_days BETWEEN 1 AND 3650);

-- one row for each chain of audit events: where it begins and ends now, sealed with a key that is not in this file
CREATE TABLE audit_chains (
  id INTEGER PRIMARY KEY,
  org_id TEXT,
  partner_id TEXT,
  -- events before this one were removed when their time was over; anchor is the checksum of the last of those
  first_seq INTEGER NOT NULL,
  anchor TEXT,
  head_seq INTEGER NOT NULL,
  head TEXT NOT NULL,
  length INTEGER NOT NULL,
  cleaned_at TEXT,
  -- HMAC over all of the above and over what is known to be wrong; null: from before chains were sealed
  seal TEXT,
  -- events up to this one were written before
  unsealed_seq INTEGER,
  -- the first event that does not fit; stays, whatever is written afterwards
  fault TEXT CHECK (fault IN ('changed', 'missing', 'added', 'seal')),
  fault_seq INTEGER,
  checked_at TEXT
) STRICT;
CREATE UNIQUE INDEX audit_chains_tenant ON audit_chains (coalesce(partner_id, ''), coalesce(org_id, ''));
CREATE INDEX audit_chains_org ON audit_chains (org_id) WHERE org_id IS NOT NULL;
INSERT INTO audit_chains (org_id, partner_id, first_seq, head_seq, head, length)
  SELECT org_id, partner_id, first_seq, head_seq, (SELECT checksum FROM audit_logs WHERE seq = head_seq), length
  FROM (SELECT org_id, partner_id, min(seq) AS first_seq, max(seq) AS head_seq, count(*) AS length
    FROM audit_logs GROUP BY org_id, partner_id);

-- newest first, as everybody reads it
CREATE INDEX audit_logs_partner_newest ON audit_logs (partner_id, timestamp DESC, id DESC);
-- the few of a company itself among those of its organizations
CREATE INDEX audit_logs_partner_own ON audit_logs (partner_id, timestamp DESC, id DESC) WHERE org_id IS NULL;

-- gone are only events of an organization that is erased, and the oldest of a chain once its row says so
DROP TRIGGER audit_logs_no_delete;
CREATE TRIGGER audit_logs_no_delete BEFORE DELETE ON audit_logs
WHEN NOT EXISTS (
  SELECT 1 FROM tenant_jobs WHERE kind = 'erasure' AND state = 'active' AND org_id = old.org_id
) AND NOT EXISTS (
  SELECT 1 FROM audit_chains WHERE coalesce(partner_id, '') = coalesce(old.partner_id, '')
    AND coalesce(org_id, '') = coalesce(old.org_id, '') AND first_seq > old.seq
)
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
`
