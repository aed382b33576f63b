/** What is to hold for devices: policies, their settings and where they are assigned; profiles of what a backup protects. */
export const name = '017-configuration-policies'

export const sql = `
CREATE TABLE configuration_policies (
  id TEXT PRIMARY KEY,
  org_id TEXT REFERENCES organizations (id),
  partner_id TEXT REFERENCES partners (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  description TEXT,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'archived')),
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((org_id IS NULL) <> (partner_id IS NULL))
) STRICT;
CREATE INDEX configuration_policies_org ON configuration_policies (org_id, updated_at);
CREATE INDEX configuration_policies_partner ON configuration_policies (partner_id, updated_at);
CREATE INDEX configuration_policies_updated ON configuration_policies (updated_at);
CREATE INDEX configuration_policies_creator ON configuration_policies (created_by);

CREATE TABLE config_policy_feature_links (
  id TEXT PRIMARY KEY,
  config_policy_id TEXT NOT NULL REFERENCES configuration_policies (id) ON DELETE CASCADE,
  feature_type TEXT NOT NULL,
  -- What it means depends on the type.
  feature_policy_id TEXT,
  inline_settings TEXT CHECK (json_valid(inline_settings)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (config_policy_id, feature_type)
) STRICT;

-- Each target is a reference, so that an assignment goes with it.
CREATE TABLE config_policy_assignments (
  id TEXT PRIMARY KEY,
  config_policy_id TEXT NOT NULL REFERENCES configuration_policies (id) ON DELETE CASCADE,
  level TEXT NOT NULL,
  -- The organization of the target; none at the level of the partner.
  org_id TEXT REFERENCES organizations (id),
  partner_id TEXT REFERENCES partners (id),
  site_id TEXT REFERENCES sites (id) ON DELETE CASCADE,
  group_id TEXT REFERENCES device_groups (id) ON DELETE CASCADE,
  device_id TEXT REFERENCES devices (id) ON DELETE CASCADE,
  target_id TEXT GENERATED ALWAYS AS (
    CASE level
      WHEN 'partner' THEN partner_id
      WHEN 'organization' THEN org_id
      WHEN 'site' THEN site_id
      WHEN 'device_group' THEN group_id
      WHEN 'device' THEN device_id
    END
  ) STORED NOT NULL,
  -- The lower one wins.
  priority INTEGER NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 1000),
  role_filter TEXT CHECK (json_valid(role_filter)),
  os_filter TEXT CHECK (json_valid(os_filter)),
  assigned_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  CHECK ((org_id IS NULL) <> (partner_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX config_policy_assignments_target ON config_policy_assignments (config_policy_id, level, target_id);
CREATE INDEX config_policy_assignments_org ON config_policy_assignments (org_id, level);
CREATE INDEX config_policy_assignments_partner ON config_policy_assignments (partner_id) WHERE partner_id IS NOT NULL;
CREATE INDEX config_policy_assignments_site ON config_policy_assignments (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX config_policy_assignments_group ON config_policy_assignments (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX config_policy_assignments_device ON config_policy_assignments (device_id) WHERE device_id IS NOT NULL;
CREATE INDEX config_policy_assignments_assigner ON config_policy_assignments (assigned_by);

CREATE TABLE backup_profiles (
  id TEXT PRIMARY KEY,
  org_id TEXT REFERENCES organizations (id),
  partner_id TEXT REFERENCES partners (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  description TEXT,
  selections TEXT NOT NULL CHECK (json_valid(selections)),
  -- Whether it is offered; links that have it go on.
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((org_id IS NULL) <> (partner_id IS NULL))
) STRICT;
CREATE INDEX backup_profiles_org ON backup_profiles (org_id);
CREATE INDEX backup_profiles_partner ON backup_profiles (partner_id);

-- What the backup settings of a policy refer to, so that it is not deleted while they do.
CREATE TABLE backup_link_references (
  feature_link_id TEXT PRIMARY KEY REFERENCES config_policy_feature_links (id) ON DELETE CASCADE,
  backup_profile_id TEXT REFERENCES backup_profiles (id),
  destination_config_id TEXT REFERENCES backup_configs (id)
) STRICT;
CREATE INDEX backup_link_references_profile ON backup_link_references (backup_profile_id)
  WHERE backup_profile_id IS NOT NULL;
CREATE INDEX backup_link_references_destination ON backup_link_references (destination_config_id)
  WHERE destination_config_id IS NOT NULL;
`
