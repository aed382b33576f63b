/** The life of partners and organizations, and what belongs to them: contacts, groups, branding, PSA connections. */
export const name = '003-tenants'

const repeatBillingContact = (orgIds: string) => `
  UPDATE organizations SET (billing_contact_id, billing_contact) = (
    SELECT id, json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE org_id = organizations.id AND site_id IS NULL AND instr(roles, '"billing"') > 0
    ORDER BY is_primary DESC, created_at, id LIMIT 1
  ) WHERE id IN (${orgIds});`

const repeatSiteContact = (siteIds: string) => `
  UPDATE sites SET contact = nullif(json_patch(coalesce(contact, '{}'), coalesce((
    SELECT json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE site_id = sites.id AND is_primary = 1
  ), '{"name":null,"email":null,"phone":null}')), '{}') WHERE id IN (${siteIds});`

export const sql = `
-- organizations ---------------------------------------------------------------------------------------------------

-- stable row number for the search index
ALTER TABLE organizations ADD COLUMN seq INTEGER;
UPDATE organizations SET seq = rowid;
CREATE UNIQUE INDEX organizations_seq ON organizations (seq);
-- where an archived or merging organization came from
ALTER TABLE organizations ADD COLUMN archive_prior_status TEXT
  CHECK (archive_prior_status IN ('active', 'trial', 'suspended'));
ALTER TABLE organizations ADD COLUMN merge_prior_status TEXT CHECK (merge_prior_status IN ('active', 'trial', 'suspended'));
ALTER TABLE organizations ADD COLUMN purge_warn_14_sent_at TEXT;
ALTER TABLE organizations ADD COLUMN purge_warn_1_sent_at TEXT;
ALTER TABLE organizations ADD COLUMN purge_recovery_attempts INTEGER NOT NULL DEFAULT 0;
-- the contact that the column billing_contact repeats
ALTER TABLE organizations ADD COLUMN billing_contact_id TEXT REFERENCES contacts (id) ON DELETE SET NULL;
CREATE INDEX organizations_billing_contact ON organizations (billing_contact_id) WHERE billing_contact_id IS NOT NULL;

-- the devices do not follow the status yet; holds what a removal is cancelled with that nobody wants any more
ALTER TABLE organizations ADD COLUMN unsettled TEXT;
CREATE INDEX organizations_unsettled ON organizations (id) WHERE unsettled IS NOT NULL;

-- to find the few in whose life something is under way
CREATE INDEX organizations_status ON organizations (status);
CREATE INDEX organizations_archived ON organizations (partner_id, archived_at DESC, id) WHERE status = 'archived';

-- substring search over names
CREATE VIRTUAL TABLE organization_search USING fts5 (name, content = '', contentless_delete = 1, tokenize = 'trigram');
INSERT INTO organization_search (rowid, name) SELECT seq, name FROM organizations;
CREATE TRIGGER organization_search_insert AFTER INSERT ON organizations BEGIN
  UPDATE organizations SET seq = (SELECT coalesce(max(seq), 0) + 1 FROM organizations) WHERE id = new.id;
  INSERT INTO organization_search (rowid, name) SELECT seq, name FROM organizations WHERE id = new.id;
END;
CREATE TRIGGER organization_search_update AFTER UPDATE OF name ON organizations WHEN old.name <> new.name BEGIN
  DELETE FROM organization_search WHERE rowid = old.seq;
  INSERT INTO organization_search (rowid, name) VALUES (new.seq, new.name);
END;
CREATE TRIGGER organization_search_delete AFTER DELETE ON organizations BEGIN
  DELETE FROM organization_search WHERE rowid = old.seq;
END;

-- contacts --------------------------------------------------------------------------------------------------------

CREATE TABLE contacts (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  -- null: a contact of the whole organization
  site_id TEXT,
  name TEXT CHECK (length(name) <= 255),
  -- the name as lists sort and imports compare it
  name_key TEXT,
  email TEXT CHECK (length(email) <= 320 AND email = lower(trim(email))),
  phone TEXT CHECK (length(phone) <= 64),
  mobile TEXT CHECK (length(mobile) <= 64),
  title TEXT CHECK (length(title) <= 255),
  roles TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(roles)),
  is_primary INTEGER NOT NULL DEFAULT 0 CHECK (is_primary IN (0, 1)),
  notes TEXT CHECK (length(notes) <= 5000),
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (length(trim(coalesce(name, '') || coalesce(email, '') || coalesce(phone, '') || coalesce(mobile, ''))) > 0),
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX contacts_order ON contacts (org_id, (name_key IS NULL), name_key, created_at, id);
CREATE INDEX contacts_email ON contacts (org_id, email);
CREATE INDEX contacts_site ON contacts (site_id);
CREATE UNIQUE INDEX contacts_org_primary ON contacts (org_id) WHERE site_id IS NULL AND is_primary = 1;
CREATE UNIQUE INDEX contacts_site_primary ON contacts (site_id) WHERE site_id IS NOT NULL AND is_primary = 1;
CREATE INDEX contacts_billing ON contacts (org_id, is_primary DESC, created_at, id)
  WHERE site_id IS NULL AND instr(roles, '"billing"') > 0;

-- organizations.billing_contact repeats one contact of the whole organization: of those with the role a primary one first,
-- then the oldest
CREATE TRIGGER billing_contact_insert AFTER INSERT ON contacts
WHEN new.site_id IS NULL AND instr(new.roles, '"billing"') > 0
BEGIN ${repeatBillingContact('new.org_id')} END;
CREATE TRIGGER billing_contact_update AFTER UPDATE ON contacts
WHEN (old.site_id IS NULL AND instr(old.roles, '"billing"') > 0) OR (new.site_id IS NULL AND instr(new.roles, '"billing"') > 0)
BEGIN ${repeatBillingContact('old.org_id, new.org_id')} END;
CREATE TRIGGER billing_contact_delete AFTER DELETE ON contacts
WHEN old.site_id IS NULL AND instr(old.roles, '"billing"') > 0
BEGIN ${repeatBillingContact('old.org_id')} END;

-- sites.contact repeats the primary contact of the site; whatever else is written there stays
CREATE TRIGGER site_contact_insert AFTER INSERT ON contacts WHEN new.site_id IS NOT NULL AND new.is_primary = 1
BEGIN ${repeatSiteContact('new.site_id')} END;
CREATE TRIGGER site_contact_update AFTER UPDATE ON contacts
WHEN (old.site_id IS NOT NULL AND old.is_primary = 1) OR (new.site_id IS NOT NULL AND new.is_primary = 1)
BEGIN ${repeatSiteContact('old.site_id, new.site_id')} END;
CREATE TRIGGER site_contact_delete AFTER DELETE ON contacts WHEN old.site_id IS NOT NULL AND old.is_primary = 1
BEGIN ${repeatSiteContact('old.site_id')} END;

-- which record of another system a contact came from
CREATE TABLE contact_external_links (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  contact_id TEXT NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
  system TEXT NOT NULL CHECK (length(system) BETWEEN 1 AND 64),
  external_id TEXT NOT NULL CHECK (length(external_id) BETWEEN 1 AND 255),
  created_at TEXT NOT NULL,
  UNIQUE (org_id, system, external_id)
) STRICT;
CREATE INDEX contact_external_links_contact ON contact_external_links (contact_id);

-- device groups ---------------------------------------------------------------------------------------------------

CREATE TABLE device_groups (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  site_id TEXT REFERENCES sites (id) ON DELETE SET NULL,
  parent_id TEXT REFERENCES device_groups (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  type TEXT NOT NULL DEFAULT 'static' CHECK (type IN ('static', 'dynamic')),
  rules TEXT CHECK (rules IS NULL OR json_valid(rules)),
  filter_conditions TEXT CHECK (filter_conditions IS NULL OR json_valid(filter_conditions)),
  filter_fields_used TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(filter_fields_used)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX device_groups_org ON device_groups (org_id, created_at DESC, id);
CREATE INDEX device_groups_site ON device_groups (site_id);
CREATE INDEX device_groups_parent ON device_groups (parent_id);

CREATE TABLE device_group_members (
  group_id TEXT NOT NULL REFERENCES device_groups (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  is_pinned INTEGER NOT NULL DEFAULT 0 CHECK (is_pinned IN (0, 1)),
  added_by TEXT NOT NULL CHECK (added_by IN ('manual', 'dynamic_rule', 'policy')),
  added_at TEXT NOT NULL,
  PRIMARY KEY (group_id, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX device_group_members_device ON device_group_members (device_id);

-- who leaves the organization or site of a group leaves the group at once; a merge moves both, one after the other
CREATE TRIGGER device_group_members_move AFTER UPDATE OF org_id, site_id ON devices
WHEN (old.org_id, old.site_id) IS NOT (new.org_id, new.site_id)
  AND NOT EXISTS (SELECT 1 FROM organizations WHERE id IN (old.org_id, new.org_id) AND status = 'merging')
BEGIN
  DELETE FROM device_group_members WHERE device_id = new.id AND group_id IN (
    SELECT id FROM device_groups WHERE org_id <> new.org_id OR site_id <> new.site_id
  );
END;
-- without its site the rule of a group would take in devices of the whole organization
CREATE TRIGGER device_groups_site_delete BEFORE DELETE ON sites BEGIN
  UPDATE device_groups SET type = 'static' WHERE site_id = old.id AND type = 'dynamic';
END;

-- devices that changed in what rules of groups look at: their memberships are to be found anew
CREATE TABLE device_group_due (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TRIGGER device_group_due_insert AFTER INSERT ON devices
WHEN EXISTS (SELECT 1 FROM device_groups WHERE org_id = new.org_id AND type = 'dynamic')
BEGIN INSERT OR IGNORE INTO device_group_due (device_id) VALUES (new.id); END;
CREATE TRIGGER device_group_due_update AFTER UPDATE OF org_id, site_id, hostname, display_name, os_type, os_version,
  os_build, architecture, agent_version, device_role, status, enrolled_at, last_user, pending_reboot, is_headless, wan_ip,
  lan_ip, tags, custom_fields, watchdog_status ON devices
WHEN EXISTS (SELECT 1 FROM device_groups WHERE org_id = new.org_id AND type = 'dynamic')
BEGIN INSERT OR IGNORE INTO device_group_due (device_id) VALUES (new.id); END;
-- a rule may look at who is in a static group
CREATE TRIGGER device_group_due_join AFTER INSERT ON device_group_members BEGIN
  INSERT OR IGNORE INTO device_group_due (device_id) SELECT devices.id FROM devices
    JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic' AND filter_fields_used LIKE '%"groupId"%'
    WHERE devices.id = new.device_id;
END;
CREATE TRIGGER device_group_due_leave AFTER DELETE ON device_group_members BEGIN
  INSERT OR IGNORE INTO device_group_due (device_id) SELECT devices.id FROM devices
    JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic' AND filter_fields_used LIKE '%"groupId"%'
    WHERE devices.id = old.device_id;
END;
CREATE TRIGGER device_group_due_report_insert AFTER INSERT ON device_reports
WHEN new.kind IN ('hardware', 'software', 'network') AND EXISTS (
  SELECT 1 FROM devices JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic'
  WHERE devices.id = new.device_id
)
BEGIN INSERT OR IGNORE INTO device_group_due (device_id) VALUES (new.device_id); END;
CREATE TRIGGER device_group_due_report_update AFTER UPDATE ON device_reports
WHEN new.kind IN ('hardware', 'software', 'network') AND EXISTS (
  SELECT 1 FROM devices JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic'
  WHERE devices.id = new.device_id
)
BEGIN INSERT OR IGNORE INTO device_group_due (device_id) VALUES (new.device_id); END;

-- partners --------------------------------------------------------------------------------------------------------

ALTER TABLE partners ADD COLUMN unsettled TEXT;
ALTER TABLE partners ADD COLUMN inbound_local_part TEXT CHECK (length(inbound_local_part) BETWEEN 1 AND 63);
ALTER TABLE partners ADD COLUMN email_signature TEXT CHECK (length(email_signature) <= 2000);
CREATE UNIQUE INDEX partners_inbound_local_part ON partners (lower(inbound_local_part)) WHERE deleted_at IS NULL;

CREATE TABLE partner_login_branding (
  partner_id TEXT PRIMARY KEY REFERENCES partners (id),
  logo_url TEXT CHECK (length(logo_url) <= 400000),
  accent_color TEXT CHECK (accent_color GLOB '#[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]'),
  headline TEXT CHECK (length(headline) <= 120),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE psa_connections (
  id TEXT PRIMARY KEY,
  org_id TEXT REFERENCES organizations (id),
  partner_id TEXT REFERENCES partners (id),
  provider TEXT NOT NULL CHECK (
    provider IN ('connectwise', 'autotask', 'servicenow', 'freshservice', 'zendesk', 'jira')
  ),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'error')),
  -- encrypted
  credentials TEXT,
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  last_tested_at TEXT,
  last_synced_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((org_id IS NULL) <> (partner_id IS NULL))
) STRICT;
CREATE INDEX psa_connections_org ON psa_connections (org_id);
CREATE INDEX psa_connections_partner ON psa_connections (partner_id);
-- the foreign key that a column of an existing table can not get
CREATE TRIGGER psa_connections_in_use BEFORE DELETE ON psa_connections
WHEN EXISTS (SELECT 1 FROM partners WHERE service_management_psa_connection_id = old.id)
BEGIN SELECT raise(ABORT, 'FOREIGN KEY constraint failed: the partner works with this PSA connection'); END;
CREATE TRIGGER partners_psa_connection BEFORE UPDATE OF service_management_psa_connection_id ON partners
WHEN new.service_management_psa_connection_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM psa_connections WHERE id = new.service_management_psa_connection_id AND partner_id = new.id
)
BEGIN SELECT raise(ABORT, 'FOREIGN KEY constraint failed: no PSA connection of this partner'); END;

-- merges, purges --------------------------------------------------------------------------------------------------

-- long work on one tenant, done in pieces; an id names the work and its organization, so that it is there once
CREATE TABLE tenant_jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('merge', 'erasure')),
  org_id TEXT NOT NULL,
  partner_id TEXT NOT NULL,
  requested_by TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'active', 'completed', 'failed')),
  input TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(input)),
  progress TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(progress)),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  failed_reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
) STRICT;
CREATE INDEX tenant_jobs_open ON tenant_jobs (created_at, id) WHERE state IN ('waiting', 'active');
CREATE INDEX tenant_jobs_org ON tenant_jobs (org_id);

-- outlives both organizations
CREATE TABLE org_merge_events (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL,
  loser_org_id TEXT NOT NULL,
  loser_org_name TEXT NOT NULL,
  survivor_org_id TEXT NOT NULL,
  actor_user_id TEXT,
  summary TEXT NOT NULL CHECK (json_valid(summary)),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX org_merge_events_loser ON org_merge_events (loser_org_id);

-- how the rows a merge has touched were before, until it is complete
CREATE TABLE org_merge_undo (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES tenant_jobs (id) ON DELETE CASCADE,
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  -- the columns a merge has changed, or the whole row it has deleted
  before TEXT NOT NULL CHECK (json_valid(before)),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1))
) STRICT;
CREATE INDEX org_merge_undo_job ON org_merge_undo (job_id, seq);

-- a key or a site that is deleted is looked for in here: without these, in every row
CREATE INDEX devices_enrolled_by ON devices (enrolled_by) WHERE enrolled_by IS NOT NULL;
CREATE INDEX enrollment_keys_site ON enrollment_keys (site_id) WHERE site_id IS NOT NULL;

-- why a removal of the agent is queued: 'tenant_offboarding:org:<id>', 'tenant_offboarding:partner:<id>'
ALTER TABLE device_commands ADD COLUMN reasons TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(reasons));
CREATE INDEX device_commands_open_device ON device_commands (device_id) WHERE status IN ('pending', 'sent');
CREATE INDEX device_commands_removals ON device_commands (completed_at)
  WHERE type = 'self_uninstall' AND reasons <> '[]';

-- the log of an organization that is erased goes with it, as one whole chain
DROP TRIGGER audit_logs_no_delete;
CREATE TRIGGER audit_logs_no_delete BEFORE DELETE ON audit_logs
WHEN old.org_id IS NULL OR NOT EXISTS (
  SELECT 1 FROM tenant_jobs WHERE kind = 'erasure' AND state = 'active' AND org_id = old.org_id
)
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
`
