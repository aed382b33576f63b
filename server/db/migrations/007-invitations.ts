export const name = '007-invitations'

export const sql = `
-- what an account that exists was offered and has not accepted; the id becomes that of the membership
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  org_id TEXT REFERENCES organizations (id),
  role_id TEXT NOT NULL REFERENCES roles (id),
  org_access TEXT CHECK (org_access IN ('all', 'selected', 'none')),
  org_ids TEXT CHECK (org_ids IS NULL OR json_valid(org_ids)),
  site_ids TEXT CHECK (site_ids IS NULL OR json_valid(site_ids)),
  device_group_ids TEXT CHECK (device_group_ids IS NULL OR json_valid(device_group_ids)),
  -- as the inviter entered them: they do not see those of the account before it accepts
  email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 255),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  inviter_name TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((org_id IS NULL) = (org_access IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX invitations_partner ON invitations (partner_id, user_id) WHERE org_id IS NULL;
CREATE UNIQUE INDEX invitations_org ON invitations (org_id, user_id) WHERE org_id IS NOT NULL;
CREATE INDEX invitations_user ON invitations (user_id);
CREATE INDEX invitations_role ON invitations (role_id);

-- of a membership that began without being asked for; there is no such mail any more
DELETE FROM mail_messages WHERE kind = 'access-added' AND status = 'queued';

CREATE INDEX sessions_membership ON sessions (membership_id);

-- where the account worked last with a sign-in of its own, and signs in next
ALTER TABLE users ADD COLUMN last_membership_id TEXT;
`
