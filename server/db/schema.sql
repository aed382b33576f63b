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

CREATE INDEX api_keys_creator ON api_keys (created_by);

CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE status = 'active';

CREATE INDEX api_keys_org ON api_keys (org_id, created_at DESC, id DESC);

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

CREATE INDEX audit_chains_org ON audit_chains (org_id) WHERE org_id IS NOT NULL;

CREATE UNIQUE INDEX audit_chains_tenant ON audit_chains (coalesce(partner_id, ''), coalesce(org_id, ''));

CREATE TRIGGER audit_logs_no_delete BEFORE DELETE ON audit_logs
WHEN NOT EXISTS (
  SELECT 1 FROM tasks WHERE +kind = 'organization.erase' AND state = 'active' AND org_id = old.org_id
) AND NOT EXISTS (
  SELECT 1 FROM audit_chains WHERE coalesce(partner_id, '') = coalesce(old.partner_id, '')
    AND coalesce(org_id, '') = coalesce(old.org_id, '') AND first_seq > old.seq
)
BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_logs_no_update BEFORE UPDATE ON audit_logs BEGIN
  SELECT raise(ABORT, 'the audit log is append-only');
END;

CREATE TABLE audit_logs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  org_id TEXT,
  partner_id TEXT,
  timestamp TEXT NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('user', 'api_key', 'agent', 'system')),
  actor_id TEXT NOT NULL,
  actor_email TEXT,
  action TEXT NOT NULL CHECK (length(action) <= 100),
  resource_type TEXT NOT NULL CHECK (length(resource_type) <= 50),
  resource_id TEXT,
  resource_name TEXT,
  details TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(details)),
  ip_address TEXT,
  user_agent TEXT,
  result TEXT NOT NULL CHECK (result IN ('success', 'failure', 'denied')),
  error_message TEXT,
  initiated_by TEXT NOT NULL,
  prev_checksum TEXT,
  checksum TEXT NOT NULL
) STRICT;

CREATE INDEX audit_logs_org ON audit_logs (org_id, timestamp DESC, id DESC);

CREATE INDEX audit_logs_partner ON audit_logs (partner_id, org_id, seq);

CREATE INDEX audit_logs_partner_newest ON audit_logs (partner_id, timestamp DESC, id DESC);

CREATE INDEX audit_logs_partner_own ON audit_logs (partner_id, timestamp DESC, id DESC) WHERE org_id IS NULL;

CREATE INDEX audit_logs_timestamp ON audit_logs (timestamp DESC, id DESC);

CREATE TABLE backup_attention (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  -- JSON: what it is about, such as the backup that failed.
  details TEXT NOT NULL,
  opened_at TEXT NOT NULL,
  resolved_at TEXT,
  -- When the people whom the policy names were mailed, if it is of a kind that does not wait for the morning.
  mailed_at TEXT,
  -- Of the mails, which name several devices.
  mailing_id TEXT
) STRICT;

CREATE INDEX backup_attention_device ON backup_attention (device_id, opened_at);

CREATE INDEX backup_attention_kind ON backup_attention (org_id, kind, opened_at, device_id) WHERE resolved_at IS NULL;

CREATE INDEX backup_attention_mailing ON backup_attention (mailing_id) WHERE resolved_at IS NULL AND mailing_id IS NOT NULL;

CREATE UNIQUE INDEX backup_attention_open ON backup_attention (device_id, kind) WHERE resolved_at IS NULL;

CREATE INDEX backup_attention_resolved ON backup_attention (resolved_at) WHERE resolved_at IS NOT NULL;

CREATE INDEX backup_attention_unmailed ON backup_attention (org_id)
  WHERE resolved_at IS NULL AND mailed_at IS NULL
    AND kind IN ('missed_twice', 'unusual_change', 'verification_failed', 'copy_late', 'copy_failed');

CREATE TABLE backup_change_checks (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL UNIQUE REFERENCES backup_repositories (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  stored_bytes INTEGER NOT NULL
) STRICT;

CREATE INDEX backup_change_checks_device ON backup_change_checks (device_id);

CREATE INDEX backup_change_checks_org ON backup_change_checks (org_id);

CREATE TABLE backup_configs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  -- JSON, sealed with the keys of the appliance.
  provider_config TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  is_default INTEGER NOT NULL DEFAULT 0,
  encryption INTEGER NOT NULL DEFAULT 0,
  provider_capabilities TEXT,
  provider_capabilities_checked_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX backup_configs_default ON backup_configs (org_id) WHERE is_default = 1;

CREATE INDEX backup_configs_org ON backup_configs (org_id);

CREATE TABLE backup_data_reads (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL UNIQUE REFERENCES backup_repositories (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- The part that was read last, from 1 on.
  part INTEGER NOT NULL,
  read_at TEXT NOT NULL,
  -- When all parts had been read last, one after the other.
  completed_at TEXT
) STRICT;

CREATE INDEX backup_data_reads_device ON backup_data_reads (device_id);

CREATE INDEX backup_data_reads_org ON backup_data_reads (org_id);

CREATE TABLE backup_device_days (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  -- What its repositories take.
  stored_bytes INTEGER NOT NULL,
  -- What is in the newest snapshot of each kind.
  newest_bytes INTEGER NOT NULL,
  UNIQUE (device_id, org_id, day)
) STRICT;

CREATE INDEX backup_device_days_day ON backup_device_days (day);

CREATE INDEX backup_device_days_org ON backup_device_days (org_id, day);

CREATE TABLE backup_digests (
  org_id TEXT PRIMARY KEY REFERENCES organizations (id),
  due_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE backup_disk_days (
  day TEXT PRIMARY KEY,
  total_bytes INTEGER NOT NULL,
  -- For somebody without special rights.
  free_bytes INTEGER NOT NULL,
  -- Of them, what backups leave to the appliance.
  reserved_bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE backup_forgotten_repositories (
  repository_id TEXT PRIMARY KEY
) STRICT;

CREATE TABLE backup_jobs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  config_id TEXT REFERENCES backup_configs (id),
  -- Of the policy that asked for it, which may be gone.
  policy_id TEXT,
  feature_link_id TEXT,
  status TEXT NOT NULL DEFAULT 'pending',
  type TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  -- JSON: what is to be backed up, as it was decided when the job was made.
  selection TEXT NOT NULL,
  limit_upload_kib INTEGER,
  -- Local minute of the schedule, as 2026-11-24T02:30.
  schedule_occurrence_key TEXT,
  created_by TEXT REFERENCES users (id),
  dispatched_at TEXT,
  started_at TEXT,
  completed_at TEXT,
  last_progress_at TEXT,
  total_size INTEGER,
  transferred_size INTEGER,
  file_count INTEGER,
  total_files INTEGER,
  referenced_size INTEGER,
  referenced_files INTEGER,
  error_count INTEGER,
  error_log TEXT,
  -- JSON: files that could not be read.
  failed_files TEXT,
  -- Of restic, 64 hex.
  snapshot_id TEXT,
  vss_metadata TEXT,
  parent_job_id TEXT REFERENCES backup_jobs (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX backup_jobs_config ON backup_jobs (config_id);

CREATE INDEX backup_jobs_created_by ON backup_jobs (created_by) WHERE created_by IS NOT NULL;

CREATE INDEX backup_jobs_device ON backup_jobs (device_id, created_at);

CREATE INDEX backup_jobs_ended ON backup_jobs (device_id, backup_mode, completed_at)
  WHERE status IN ('completed', 'partial', 'failed');

CREATE INDEX backup_jobs_good ON backup_jobs (device_id, backup_mode, completed_at)
  WHERE status IN ('completed', 'partial');

CREATE INDEX backup_jobs_newest_good ON backup_jobs (device_id, org_id, completed_at)
  WHERE status IN ('completed', 'partial');

CREATE UNIQUE INDEX backup_jobs_occurrence ON backup_jobs (device_id, config_id, backup_mode, schedule_occurrence_key)
  WHERE schedule_occurrence_key IS NOT NULL;

CREATE INDEX backup_jobs_open ON backup_jobs (device_id) WHERE status IN ('pending', 'running');

CREATE INDEX backup_jobs_org ON backup_jobs (org_id, created_at);

CREATE INDEX backup_jobs_parent ON backup_jobs (parent_job_id) WHERE parent_job_id IS NOT NULL;

CREATE INDEX backup_jobs_started ON backup_jobs (device_id, started_at, created_at, id);

CREATE INDEX backup_jobs_status ON backup_jobs (status, org_id, created_at);

CREATE TABLE backup_link_references (
  feature_link_id TEXT PRIMARY KEY REFERENCES config_policy_feature_links (id) ON DELETE CASCADE,
  backup_profile_id TEXT REFERENCES backup_profiles (id),
  destination_config_id TEXT REFERENCES backup_configs (id)
) STRICT;

CREATE INDEX backup_link_references_destination ON backup_link_references (destination_config_id)
  WHERE destination_config_id IS NOT NULL;

CREATE INDEX backup_link_references_profile ON backup_link_references (backup_profile_id)
  WHERE backup_profile_id IS NOT NULL;

CREATE TABLE backup_locked_objects (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  folder TEXT NOT NULL,
  -- JSON: until when, by the name of the object.
  objects TEXT NOT NULL,
  UNIQUE (repository_id, folder)
) STRICT;

CREATE TABLE backup_object_lock_tries (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL UNIQUE REFERENCES backup_repositories (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- Bucket and folder: what was locked in another place says nothing of this one.
  place TEXT NOT NULL,
  tried_at TEXT NOT NULL,
  try_again_at TEXT NOT NULL
) STRICT;

CREATE INDEX backup_object_lock_tries_device ON backup_object_lock_tries (device_id);

CREATE INDEX backup_object_lock_tries_org ON backup_object_lock_tries (org_id);

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

CREATE TABLE backup_quotas (
  org_id TEXT PRIMARY KEY REFERENCES organizations (id),
  bytes INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE backup_readiness (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL UNIQUE REFERENCES devices (id) ON DELETE CASCADE,
  -- 0 to 100.
  readiness_score INTEGER NOT NULL,
  estimated_rto_minutes INTEGER,
  -- The newest backup that can be restored from; what came later would be lost.
  newest_backup_at TEXT,
  last_checked_at TEXT NOT NULL,
  last_test_restore_at TEXT,
  -- JSON: what makes it less likely, and how serious that is.
  risk_factors TEXT NOT NULL,
  -- It was told that the score is low, and the score has not recovered since.
  is_low INTEGER NOT NULL DEFAULT 0,
  calculated_at TEXT NOT NULL
) STRICT;

CREATE INDEX backup_readiness_org ON backup_readiness (org_id, readiness_score, id);

CREATE TRIGGER backup_repositories_forgotten AFTER DELETE ON backup_repositories BEGIN
  INSERT OR IGNORE INTO backup_forgotten_repositories (repository_id) VALUES (old.id);
END;

CREATE TABLE backup_repositories (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  config_id TEXT NOT NULL REFERENCES backup_configs (id),
  device_id TEXT NOT NULL REFERENCES devices (id),
  engine TEXT NOT NULL DEFAULT 'restic',
  sub_path TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES storage_encryption_keys (id),
  state TEXT NOT NULL DEFAULT 'new',
  stored_bytes INTEGER NOT NULL DEFAULT 0,
  last_check_at TEXT,
  last_prune_at TEXT,
  lock_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, maintained_at TEXT, maintenance_error TEXT, measured_at TEXT, is_in_store INTEGER NOT NULL DEFAULT 0, key_tried_at TEXT, key_error TEXT, data_bytes INTEGER, uncompressed_bytes INTEGER, files_bytes INTEGER,
  UNIQUE (config_id, device_id)
) STRICT;

CREATE INDEX backup_repositories_device ON backup_repositories (device_id);

CREATE INDEX backup_repositories_in_store ON backup_repositories (org_id, stored_bytes) WHERE is_in_store = 1;

CREATE INDEX backup_repositories_key ON backup_repositories (key_id);

CREATE INDEX backup_repositories_org ON backup_repositories (org_id);

CREATE TABLE backup_repository_keys (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  key_id TEXT NOT NULL REFERENCES storage_encryption_keys (id),
  created_at TEXT NOT NULL,
  UNIQUE (repository_id, key_id)
) STRICT;

CREATE INDEX backup_repository_keys_key ON backup_repository_keys (key_id);

CREATE TABLE backup_sla_configs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  rpo_target_minutes INTEGER NOT NULL CHECK (rpo_target_minutes >= 1),
  rto_target_minutes INTEGER NOT NULL CHECK (rto_target_minutes >= 1),
  -- JSON arrays of ids. Both empty: for every protected device of the organization.
  target_devices TEXT NOT NULL DEFAULT '[]',
  target_groups TEXT NOT NULL DEFAULT '[]',
  alert_on_breach INTEGER NOT NULL DEFAULT 1,
  is_active INTEGER NOT NULL DEFAULT 1,
  -- The last check, and how many devices it looked at.
  checked_at TEXT,
  device_count INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX backup_sla_configs_org ON backup_sla_configs (org_id, created_at);

CREATE TABLE backup_sla_events (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  sla_config_id TEXT NOT NULL REFERENCES backup_sla_configs (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  event_type TEXT NOT NULL,
  -- JSON: the target and what was found instead.
  details TEXT NOT NULL,
  detected_at TEXT NOT NULL,
  resolved_at TEXT,
  -- Somebody is still to be mailed about it.
  is_mail_due INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX backup_sla_events_config ON backup_sla_events (sla_config_id, detected_at);

CREATE INDEX backup_sla_events_device ON backup_sla_events (device_id, detected_at);

CREATE INDEX backup_sla_events_list ON backup_sla_events (org_id, detected_at, id);

CREATE UNIQUE INDEX backup_sla_events_open ON backup_sla_events (sla_config_id, device_id, event_type)
  WHERE resolved_at IS NULL;

CREATE INDEX backup_sla_events_over ON backup_sla_events (org_id, resolved_at, id);

CREATE INDEX backup_sla_events_unmailed ON backup_sla_events (sla_config_id) WHERE is_mail_due = 1;

CREATE TABLE backup_snapshot_checksums (
  id TEXT PRIMARY KEY,
  snapshot_id TEXT NOT NULL UNIQUE REFERENCES backup_snapshots (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- JSON: path, size, time and SHA-256 of each.
  files TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX backup_snapshot_checksums_device ON backup_snapshot_checksums (device_id);

CREATE INDEX backup_snapshot_checksums_org ON backup_snapshot_checksums (org_id);

CREATE TABLE backup_snapshots (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id),
  config_id TEXT NOT NULL REFERENCES backup_configs (id),
  -- None for backups of the public agent, which has no repository.
  repository_id TEXT REFERENCES backup_repositories (id),
  job_id TEXT REFERENCES backup_jobs (id) ON DELETE SET NULL,
  -- As the storage names it.
  snapshot_id TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  size INTEGER NOT NULL,
  file_count INTEGER NOT NULL,
  label TEXT NOT NULL,
  location TEXT,
  backup_type TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  gfs_tags TEXT NOT NULL DEFAULT '[]',
  expires_at TEXT,
  legal_hold INTEGER NOT NULL DEFAULT 0,
  legal_hold_reason TEXT,
  legal_hold_source TEXT,
  is_immutable INTEGER NOT NULL DEFAULT 0,
  immutable_until TEXT,
  immutability_enforcement TEXT,
  requested_immutability_enforcement TEXT,
  immutability_fallback_reason TEXT,
  encryption_key_id TEXT REFERENCES storage_encryption_keys (id),
  -- Retention has given it up; its data goes when the repository is maintained.
  expired_at TEXT,
  objects_deleted_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, awaits_object_lock INTEGER NOT NULL DEFAULT 0, legal_hold_policy_ids TEXT,
  UNIQUE (config_id, device_id, snapshot_id)
) STRICT;

CREATE INDEX backup_snapshots_device ON backup_snapshots (device_id, timestamp);

CREATE INDEX backup_snapshots_expired ON backup_snapshots (repository_id, expired_at) WHERE expired_at IS NOT NULL;

CREATE INDEX backup_snapshots_expired_org ON backup_snapshots (org_id)
  WHERE expired_at IS NOT NULL AND repository_id IS NOT NULL;

CREATE INDEX backup_snapshots_expiring ON backup_snapshots (org_id, expires_at)
  WHERE expired_at IS NULL AND expires_at IS NOT NULL;

CREATE INDEX backup_snapshots_job ON backup_snapshots (job_id) WHERE job_id IS NOT NULL;

CREATE INDEX backup_snapshots_key ON backup_snapshots (encryption_key_id) WHERE encryption_key_id IS NOT NULL;

CREATE INDEX backup_snapshots_object_lock ON backup_snapshots (repository_id) WHERE awaits_object_lock = 1;

CREATE INDEX backup_snapshots_org ON backup_snapshots (org_id, timestamp);

CREATE INDEX backup_snapshots_repository ON backup_snapshots (repository_id) WHERE repository_id IS NOT NULL;

CREATE INDEX backup_snapshots_usage ON backup_snapshots (org_id, timestamp, config_id, size, device_id)
  WHERE expired_at IS NULL;

CREATE TABLE backup_store_credentials (
  id TEXT PRIMARY KEY,
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  -- Of the backup or restore for which it was issued.
  command_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
, folder TEXT) STRICT;

CREATE INDEX backup_store_credentials_command ON backup_store_credentials (command_id);

CREATE INDEX backup_store_credentials_expires ON backup_store_credentials (expires_at);

CREATE INDEX backup_store_credentials_repository ON backup_store_credentials (repository_id);

CREATE TABLE backup_store_leftovers (
  repository_id TEXT PRIMARY KEY,
  found_at TEXT NOT NULL
) STRICT;

CREATE TABLE backup_unusual_changes (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  config_id TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  -- The snapshot with the change, and the one that it was compared with, as long as they are there.
  snapshot_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  older_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  -- When the one with the change was made. What is older does not expire as long as this is open or held.
  taken_at TEXT NOT NULL,
  sign TEXT NOT NULL,
  -- JSON: how many files were changed, replaced and looked into.
  numbers TEXT NOT NULL,
  state TEXT NOT NULL,
  found_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by TEXT,
  reason TEXT
) STRICT;

CREATE INDEX backup_unusual_changes_list ON backup_unusual_changes (org_id, found_at, id);

CREATE INDEX backup_unusual_changes_older ON backup_unusual_changes (older_id);

CREATE UNIQUE INDEX backup_unusual_changes_open ON backup_unusual_changes (device_id, config_id, backup_mode)
  WHERE state = 'open';

CREATE INDEX backup_unusual_changes_place ON backup_unusual_changes (device_id, config_id, backup_mode, taken_at);

CREATE INDEX backup_unusual_changes_snapshot ON backup_unusual_changes (snapshot_id);

CREATE TABLE backup_usage_days (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  site_id TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  stored_bytes INTEGER NOT NULL, in_store_bytes INTEGER,
  UNIQUE (site_id, day)
) STRICT;

CREATE INDEX backup_usage_days_org ON backup_usage_days (org_id, day);

CREATE TABLE backup_vault_repositories (
  id TEXT PRIMARY KEY,
  vault_id TEXT NOT NULL REFERENCES backup_vaults (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- The one that it is a copy of.
  repository_id TEXT NOT NULL REFERENCES backup_repositories (id) ON DELETE CASCADE,
  -- In which it lies; its password follows from the name.
  folder TEXT NOT NULL,
  key_id TEXT NOT NULL REFERENCES storage_encryption_keys (id),
  -- Keys beside its own that may open it: on the way in, and on the way out.
  next_key_id TEXT REFERENCES storage_encryption_keys (id),
  former_key_id TEXT REFERENCES storage_encryption_keys (id),
  state TEXT NOT NULL DEFAULT 'new',
  -- Snapshots that should be in it and are not; since when they are late.
  missing INTEGER NOT NULL DEFAULT 0,
  late_since TEXT,
  -- What restic called it when it was seen last. One that has another name is not this one.
  restic_id TEXT,
  last_sync_at TEXT,
  error TEXT,
  stored_bytes INTEGER,
  checked_at TEXT,
  damage TEXT,
  -- JSON: the last repair of the repository from it.
  repair TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, read_part INTEGER NOT NULL DEFAULT 0, sub_path TEXT NOT NULL DEFAULT '', is_begun INTEGER NOT NULL DEFAULT 0 CHECK (is_begun IN (0, 1)),
  UNIQUE (vault_id, repository_id)
) STRICT;

CREATE INDEX backup_vault_repositories_device ON backup_vault_repositories (device_id);

CREATE INDEX backup_vault_repositories_due ON backup_vault_repositories (vault_id) WHERE missing > 0;

CREATE INDEX backup_vault_repositories_former_key ON backup_vault_repositories (former_key_id)
  WHERE former_key_id IS NOT NULL;

CREATE INDEX backup_vault_repositories_key ON backup_vault_repositories (key_id);

CREATE INDEX backup_vault_repositories_next_key ON backup_vault_repositories (next_key_id)
  WHERE next_key_id IS NOT NULL;

CREATE INDEX backup_vault_repositories_org ON backup_vault_repositories (org_id);

CREATE INDEX backup_vault_repositories_repository ON backup_vault_repositories (repository_id);

CREATE TABLE backup_vault_snapshots (
  id TEXT PRIMARY KEY,
  vault_repository_id TEXT NOT NULL REFERENCES backup_vault_repositories (id) ON DELETE CASCADE,
  -- As restic names it in the repository that it was copied from, and in the vault.
  snapshot_id TEXT NOT NULL,
  copy_id TEXT NOT NULL,
  backup_mode TEXT NOT NULL,
  taken_at TEXT NOT NULL,
  synced_at TEXT NOT NULL,
  size_bytes INTEGER,
  file_count INTEGER,
  manifest_verified INTEGER NOT NULL DEFAULT 0,
  UNIQUE (vault_repository_id, snapshot_id)
) STRICT;

CREATE INDEX backup_vault_snapshots_snapshot ON backup_vault_snapshots (snapshot_id);

CREATE TABLE backup_vaults (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  -- Null: all devices of the organization.
  device_id TEXT REFERENCES devices (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- Whose folder the path is: the device, the appliance; or storage, which needs none.
  place TEXT NOT NULL,
  vault_path TEXT NOT NULL,
  vault_type TEXT NOT NULL,
  config_id TEXT REFERENCES backup_configs (id),
  is_active INTEGER NOT NULL DEFAULT 1,
  retention_count INTEGER NOT NULL,
  -- JSON; null: after each backup.
  schedule TEXT,
  remind_after_days INTEGER,
  -- Somebody wants a sync, of one snapshot if it is named.
  requested_at TEXT,
  requested_snapshot_id TEXT,
  -- When one last began, by whatever cause, and when it was last heard of.
  begun_at TEXT,
  heard_at TEXT,
  last_sync_at TEXT,
  last_sync_status TEXT,
  last_sync_snapshot_id TEXT,
  last_sync_error TEXT,
  waiting_for TEXT,
  waiting_since TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX backup_vaults_config ON backup_vaults (config_id) WHERE config_id IS NOT NULL;

CREATE INDEX backup_vaults_device ON backup_vaults (device_id);

CREATE INDEX backup_vaults_org ON backup_vaults (org_id, created_at, id);

CREATE TABLE backup_verifications (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- The one of the snapshot; none for backups of the public agent.
  repository_id TEXT REFERENCES backup_repositories (id) ON DELETE SET NULL,
  backup_job_id TEXT REFERENCES backup_jobs (id) ON DELETE SET NULL,
  -- Its time stays when the snapshot is gone.
  snapshot_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  snapshot_taken_at TEXT NOT NULL,
  verification_type TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  -- Who asked: a person, a schedule, or a backup that has just ended.
  source TEXT NOT NULL,
  requested_by TEXT REFERENCES users (id),
  -- Who does it: the device or the appliance.
  ran_on TEXT NOT NULL,
  -- How much data is read, as restic takes it; null for all.
  subset TEXT,
  dispatched_at TEXT,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  last_progress_at TEXT,
  timed_out_by_server INTEGER NOT NULL DEFAULT 0,
  restore_time_seconds REAL,
  files_verified INTEGER NOT NULL DEFAULT 0,
  files_failed INTEGER NOT NULL DEFAULT 0,
  size_bytes INTEGER,
  -- JSON: what was found.
  details TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX backup_verifications_device ON backup_verifications (device_id, created_at, id);

CREATE INDEX backup_verifications_job ON backup_verifications (backup_job_id) WHERE backup_job_id IS NOT NULL;

CREATE UNIQUE INDEX backup_verifications_open ON backup_verifications (device_id, verification_type)
  WHERE status IN ('pending', 'running');

CREATE INDEX backup_verifications_org ON backup_verifications (org_id, created_at, id);

CREATE INDEX backup_verifications_repository ON backup_verifications (repository_id, created_at)
  WHERE repository_id IS NOT NULL;

CREATE INDEX backup_verifications_requested_by ON backup_verifications (requested_by) WHERE requested_by IS NOT NULL;

CREATE INDEX backup_verifications_snapshot ON backup_verifications (snapshot_id) WHERE snapshot_id IS NOT NULL;

CREATE TABLE backup_watches (
  id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL UNIQUE REFERENCES devices (id) ON DELETE CASCADE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  -- The schedule with its time zone and the policy that it is of.
  schedule TEXT NOT NULL,
  since TEXT NOT NULL
, is_scheduled INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE INDEX backup_watches_org ON backup_watches (org_id);

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

CREATE INDEX config_policy_assignments_assigner ON config_policy_assignments (assigned_by);

CREATE INDEX config_policy_assignments_device ON config_policy_assignments (device_id) WHERE device_id IS NOT NULL;

CREATE INDEX config_policy_assignments_group ON config_policy_assignments (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX config_policy_assignments_org ON config_policy_assignments (org_id, level);

CREATE INDEX config_policy_assignments_partner ON config_policy_assignments (partner_id) WHERE partner_id IS NOT NULL;

CREATE INDEX config_policy_assignments_site ON config_policy_assignments (site_id) WHERE site_id IS NOT NULL;

CREATE UNIQUE INDEX config_policy_assignments_target ON config_policy_assignments (config_policy_id, level, target_id);

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

CREATE INDEX configuration_policies_creator ON configuration_policies (created_by);

CREATE INDEX configuration_policies_org ON configuration_policies (org_id, updated_at);

CREATE INDEX configuration_policies_partner ON configuration_policies (partner_id, updated_at);

CREATE INDEX configuration_policies_updated ON configuration_policies (updated_at);

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

CREATE TRIGGER billing_contact_delete AFTER DELETE ON contacts
WHEN old.site_id IS NULL AND instr(old.roles, '"billing"') > 0
BEGIN 
  UPDATE organizations SET (billing_contact_id, billing_contact) = (
    SELECT id, json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE org_id = organizations.id AND site_id IS NULL AND instr(roles, '"billing"') > 0
    ORDER BY is_primary DESC, created_at, id LIMIT 1
  ) WHERE id IN (old.org_id); END;

CREATE TRIGGER billing_contact_insert AFTER INSERT ON contacts
WHEN new.site_id IS NULL AND instr(new.roles, '"billing"') > 0
BEGIN 
  UPDATE organizations SET (billing_contact_id, billing_contact) = (
    SELECT id, json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE org_id = organizations.id AND site_id IS NULL AND instr(roles, '"billing"') > 0
    ORDER BY is_primary DESC, created_at, id LIMIT 1
  ) WHERE id IN (new.org_id); END;

CREATE TRIGGER billing_contact_update AFTER UPDATE ON contacts
WHEN (old.site_id IS NULL AND instr(old.roles, '"billing"') > 0) OR (new.site_id IS NULL AND instr(new.roles, '"billing"') > 0)
BEGIN 
  UPDATE organizations SET (billing_contact_id, billing_contact) = (
    SELECT id, json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE org_id = organizations.id AND site_id IS NULL AND instr(roles, '"billing"') > 0
    ORDER BY is_primary DESC, created_at, id LIMIT 1
  ) WHERE id IN (old.org_id, new.org_id); END;

CREATE TRIGGER site_contact_delete AFTER DELETE ON contacts WHEN old.site_id IS NOT NULL AND old.is_primary = 1
BEGIN 
  UPDATE sites SET contact = nullif(json_patch(coalesce(contact, '{}'), coalesce((
    SELECT json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE site_id = sites.id AND is_primary = 1
  ), '{"name":null,"email":null,"phone":null}')), '{}') WHERE id IN (old.site_id); END;

CREATE TRIGGER site_contact_insert AFTER INSERT ON contacts WHEN new.site_id IS NOT NULL AND new.is_primary = 1
BEGIN 
  UPDATE sites SET contact = nullif(json_patch(coalesce(contact, '{}'), coalesce((
    SELECT json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE site_id = sites.id AND is_primary = 1
  ), '{"name":null,"email":null,"phone":null}')), '{}') WHERE id IN (new.site_id); END;

CREATE TRIGGER site_contact_update AFTER UPDATE ON contacts
WHEN (old.site_id IS NOT NULL AND old.is_primary = 1) OR (new.site_id IS NOT NULL AND new.is_primary = 1)
BEGIN 
  UPDATE sites SET contact = nullif(json_patch(coalesce(contact, '{}'), coalesce((
    SELECT json_object('name', name, 'email', email, 'phone', phone) FROM contacts
    WHERE site_id = sites.id AND is_primary = 1
  ), '{"name":null,"email":null,"phone":null}')), '{}') WHERE id IN (old.site_id, new.site_id); END;

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

CREATE INDEX contacts_billing ON contacts (org_id, is_primary DESC, created_at, id)
  WHERE site_id IS NULL AND instr(roles, '"billing"') > 0;

CREATE INDEX contacts_email ON contacts (org_id, email);

CREATE INDEX contacts_mail ON contacts (email, id) WHERE email IS NOT NULL;

CREATE INDEX contacts_name ON contacts (name COLLATE NOCASE, id) WHERE name IS NOT NULL;

CREATE INDEX contacts_order ON contacts (org_id, (name_key IS NULL), name_key, created_at, id);

CREATE UNIQUE INDEX contacts_org_primary ON contacts (org_id) WHERE site_id IS NULL AND is_primary = 1;

CREATE INDEX contacts_site ON contacts (site_id);

CREATE UNIQUE INDEX contacts_site_primary ON contacts (site_id) WHERE site_id IS NOT NULL AND is_primary = 1;

CREATE TABLE device_command_outputs (
  command_id TEXT PRIMARY KEY REFERENCES device_commands (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  stdout TEXT,
  stderr TEXT
) STRICT;

CREATE INDEX device_command_outputs_device ON device_command_outputs (device_id);

CREATE TABLE device_commands (
  id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  type TEXT NOT NULL CHECK (length(type) <= 50),
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  status TEXT NOT NULL CHECK (status IN ('pending', 'sent', 'completed', 'failed', 'cancelled')),
  target_role TEXT NOT NULL DEFAULT 'agent' CHECK (target_role IN ('agent', 'watchdog')),
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  executed_at TEXT,
  completed_at TEXT,
  expires_at TEXT,
  timed_out_by_server INTEGER NOT NULL DEFAULT 0 CHECK (timed_out_by_server IN (0, 1)),
  result TEXT CHECK (result IS NULL OR json_valid(result))
, reasons TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(reasons))) STRICT;

CREATE INDEX device_commands_device ON device_commands (device_id, created_at, id);

CREATE INDEX device_commands_failed ON device_commands (completed_at, device_id) WHERE status = 'failed';

CREATE INDEX device_commands_open ON device_commands (status, created_at) WHERE status IN ('pending', 'sent');

CREATE INDEX device_commands_open_device ON device_commands (device_id) WHERE status IN ('pending', 'sent');

CREATE INDEX device_commands_removals ON device_commands (completed_at)
  WHERE type = 'self_uninstall' AND reasons <> '[]';

CREATE TABLE device_group_due (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE
, changes INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE device_group_log (
  id INTEGER PRIMARY KEY,
  group_id TEXT NOT NULL REFERENCES device_groups (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  action TEXT NOT NULL CHECK (action IN ('added', 'removed', 'pinned', 'unpinned')),
  reason TEXT NOT NULL CHECK (reason IN ('manual', 'filter_match', 'filter_unmatch', 'pinned', 'unpinned')),
  changed_by TEXT REFERENCES users (id),
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX device_group_log_device ON device_group_log (device_id);

CREATE INDEX device_group_log_group ON device_group_log (group_id);

CREATE TRIGGER device_group_due_join AFTER INSERT ON device_group_members BEGIN
  INSERT INTO device_group_due (device_id) SELECT id FROM devices WHERE id = new.device_id AND EXISTS (
    SELECT 1 FROM device_groups
    WHERE device_groups.org_id = devices.org_id AND type = 'dynamic' AND filter_fields_used LIKE '%"groupId"%'
  ) ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER device_group_due_leave AFTER DELETE ON device_group_members BEGIN
  INSERT INTO device_group_due (device_id) SELECT id FROM devices WHERE id = old.device_id AND EXISTS (
    SELECT 1 FROM device_groups
    WHERE device_groups.org_id = devices.org_id AND type = 'dynamic' AND filter_fields_used LIKE '%"groupId"%'
  ) ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1;
END;

CREATE TABLE device_group_members (
  group_id TEXT NOT NULL REFERENCES device_groups (id) ON DELETE CASCADE,
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  is_pinned INTEGER NOT NULL DEFAULT 0 CHECK (is_pinned IN (0, 1)),
  added_by TEXT NOT NULL CHECK (added_by IN ('manual', 'dynamic_rule', 'policy')),
  added_at TEXT NOT NULL,
  PRIMARY KEY (group_id, device_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_group_members_device ON device_group_members (device_id);

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

CREATE INDEX device_groups_dynamic ON device_groups (org_id, filter_fields_used) WHERE type = 'dynamic';

CREATE INDEX device_groups_org ON device_groups (org_id, created_at DESC, id);

CREATE INDEX device_groups_parent ON device_groups (parent_id);

CREATE INDEX device_groups_site ON device_groups (site_id);

CREATE TRIGGER device_search_hardware_delete AFTER DELETE ON device_hardware BEGIN
  DELETE FROM device_search_texts WHERE id = (SELECT seq * 4 + 1 FROM devices WHERE id = old.device_id);
END;

CREATE TRIGGER device_search_hardware_insert AFTER INSERT ON device_hardware
BEGIN
  INSERT INTO device_search_texts (id, lines) SELECT (SELECT seq * 4 + 1 FROM devices WHERE id = new.device_id), char(10) || coalesce(lower(substr(nullif(new.serial_number, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.manufacturer, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.model, ''), 1, 255)) || char(10), '') WHERE (SELECT seq * 4 + 1 FROM devices WHERE id = new.device_id) IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;
END;

CREATE TRIGGER device_search_hardware_update AFTER UPDATE OF serial_number, manufacturer, model ON device_hardware
WHEN (old.serial_number, old.manufacturer, old.model) IS NOT (new.serial_number, new.manufacturer, new.model)
BEGIN
  INSERT INTO device_search_texts (id, lines) SELECT (SELECT seq * 4 + 1 FROM devices WHERE id = new.device_id), char(10) || coalesce(lower(substr(nullif(new.serial_number, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.manufacturer, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.model, ''), 1, 255)) || char(10), '') WHERE (SELECT seq * 4 + 1 FROM devices WHERE id = new.device_id) IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;
END;

CREATE TABLE device_hardware (
  device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  cpu_model TEXT,
  cpu_cores INTEGER,
  cpu_threads INTEGER,
  ram_total_mb INTEGER,
  disk_total_gb REAL,
  gpu_model TEXT,
  serial_number TEXT,
  manufacturer TEXT,
  model TEXT,
  motherboard_manufacturer TEXT,
  motherboard_product TEXT,
  motherboard_version TEXT,
  bios_version TEXT,
  chassis_type TEXT,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE device_metrics (
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- milliseconds since 1970, an integer because there are millions of them
  at INTEGER NOT NULL,
  cpu REAL NOT NULL,
  ram REAL NOT NULL,
  ram_used_mb REAL NOT NULL,
  disk REAL NOT NULL,
  disk_used_gb REAL NOT NULL,
  disk_activity_available INTEGER,
  disk_read_bytes REAL,
  disk_write_bytes REAL,
  disk_read_bps REAL,
  disk_write_bps REAL,
  disk_read_ops REAL,
  disk_write_ops REAL,
  network_in REAL,
  network_out REAL,
  bandwidth_in_bps REAL,
  bandwidth_out_bps REAL,
  process_count REAL,
  PRIMARY KEY (device_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_presence (
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (device_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_recovery_keys (
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL,
  encrypted TEXT NOT NULL,
  reported_at TEXT NOT NULL,
  PRIMARY KEY (device_id, key_hash)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER device_group_due_report_insert AFTER INSERT ON device_reports
WHEN new.kind IN ('hardware', 'software', 'network') AND EXISTS (
  SELECT 1 FROM devices JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic'
  WHERE devices.id = new.device_id
)
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.device_id) ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1; END;

CREATE TRIGGER device_group_due_report_update AFTER UPDATE ON device_reports
WHEN new.kind IN ('hardware', 'software', 'network') AND EXISTS (
  SELECT 1 FROM devices JOIN device_groups ON device_groups.org_id = devices.org_id AND type = 'dynamic'
  WHERE devices.id = new.device_id
)
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.device_id) ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1; END;

CREATE TRIGGER device_search_network_delete AFTER DELETE ON device_reports WHEN old.kind = 'network' BEGIN
  DELETE FROM device_search_texts WHERE id = (SELECT seq * 4 + 2 FROM devices WHERE id = old.device_id);
END;

CREATE TRIGGER device_search_network_insert AFTER INSERT ON device_reports WHEN new.kind = 'network'
BEGIN
  INSERT INTO device_search_texts (id, lines) SELECT (SELECT seq * 4 + 2 FROM devices WHERE id = new.device_id), char(10) || (WITH adapters AS MATERIALIZED (SELECT key AS position, value ->> 'isPrimary' AS is_primary, value ->> 'ipAddress' AS ip,
        value ->> 'macAddress' AS mac
      FROM json_each(new.content) WHERE type = 'object'), addresses AS (SELECT position, is_primary, coalesce(lower(substr(nullif(ip, ''), 1, 64)) || char(10), '') AS line FROM adapters
      UNION ALL SELECT position, is_primary, coalesce(lower(substr(nullif(replace(replace(replace(mac, ':', ''), '-', ''), '.', ''), ''), 1, 64)) || char(10), '') FROM adapters)
    SELECT coalesce(group_concat(line, ''), '') FROM (
      SELECT line FROM addresses WHERE line <> '' GROUP BY line ORDER BY max(coalesce(is_primary, 0)) DESC, min(position), line
      LIMIT 64)) WHERE (SELECT seq * 4 + 2 FROM devices WHERE id = new.device_id) IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;
END;

CREATE TRIGGER device_search_network_update AFTER UPDATE OF content ON device_reports
WHEN new.kind = 'network' AND old.content <> new.content
BEGIN
  INSERT INTO device_search_texts (id, lines) SELECT (SELECT seq * 4 + 2 FROM devices WHERE id = new.device_id), char(10) || (WITH adapters AS MATERIALIZED (SELECT key AS position, value ->> 'isPrimary' AS is_primary, value ->> 'ipAddress' AS ip,
        value ->> 'macAddress' AS mac
      FROM json_each(new.content) WHERE type = 'object'), addresses AS (SELECT position, is_primary, coalesce(lower(substr(nullif(ip, ''), 1, 64)) || char(10), '') AS line FROM adapters
      UNION ALL SELECT position, is_primary, coalesce(lower(substr(nullif(replace(replace(replace(mac, ':', ''), '-', ''), '.', ''), ''), 1, 64)) || char(10), '') FROM adapters)
    SELECT coalesce(group_concat(line, ''), '') FROM (
      SELECT line FROM addresses WHERE line <> '' GROUP BY line ORDER BY max(coalesce(is_primary, 0)) DESC, min(position), line
      LIMIT 64)) WHERE (SELECT seq * 4 + 2 FROM devices WHERE id = new.device_id) IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;
END;

CREATE TABLE device_reports (
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('hardware', 'software', 'disks', 'network', 'vpns', 'connections')),
  content TEXT NOT NULL CHECK (json_valid(content)),
  content_hash TEXT NOT NULL,
  reported_at TEXT NOT NULL,
  PRIMARY KEY (device_id, kind)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE device_search USING fts5(
  lines, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram'
);

CREATE VIRTUAL TABLE device_search_terms USING fts5vocab(device_search, instance);

CREATE TRIGGER device_search_texts_delete AFTER DELETE ON device_search_texts BEGIN
  DELETE FROM device_search WHERE rowid = old.id;
END;

CREATE TRIGGER device_search_texts_insert AFTER INSERT ON device_search_texts BEGIN
  INSERT INTO device_search (rowid, lines) VALUES (new.id, new.lines || char(10));
END;

CREATE TRIGGER device_search_texts_update AFTER UPDATE OF lines ON device_search_texts BEGIN
  DELETE FROM device_search WHERE rowid = old.id;
  INSERT INTO device_search (rowid, lines) VALUES (new.id, new.lines || char(10));
END;

CREATE TRIGGER device_search_values_delete AFTER DELETE ON device_search_texts WHEN old.id % 4 > 0 BEGIN
  DELETE FROM device_search_values WHERE id = old.id AND value IN (WITH RECURSIVE line (value, rest) AS (
    SELECT '', old.lines UNION ALL
    SELECT substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM line
    WHERE instr(rest, char(10)) > 0
  ) SELECT value FROM line WHERE value <> '');
END;

CREATE TRIGGER device_search_values_insert AFTER INSERT ON device_search_texts WHEN new.id % 4 > 0 BEGIN
  INSERT INTO device_search_values (value, id) SELECT value, new.id FROM (WITH RECURSIVE line (value, rest) AS (
    SELECT '', new.lines UNION ALL
    SELECT substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM line
    WHERE instr(rest, char(10)) > 0
  ) SELECT value FROM line WHERE value <> '') WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER device_search_values_update AFTER UPDATE OF lines ON device_search_texts WHEN new.id % 4 > 0 BEGIN
  DELETE FROM device_search_values WHERE id = old.id AND value IN (WITH RECURSIVE line (value, rest) AS (
    SELECT '', old.lines UNION ALL
    SELECT substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM line
    WHERE instr(rest, char(10)) > 0
  ) SELECT value FROM line WHERE value <> '');
  INSERT INTO device_search_values (value, id) SELECT value, new.id FROM (WITH RECURSIVE line (value, rest) AS (
    SELECT '', new.lines UNION ALL
    SELECT substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM line
    WHERE instr(rest, char(10)) > 0
  ) SELECT value FROM line WHERE value <> '') WHERE true
    ON CONFLICT DO NOTHING;
END;

CREATE TABLE device_search_texts (
  -- four times the seq of the device, and 0 for names, user and addresses, 1 for the hardware, 2 for the network, 3 for tags
  id INTEGER PRIMARY KEY,
  lines TEXT NOT NULL
) STRICT;

CREATE TABLE device_search_values (
  value TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (value, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_software (
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  -- number of the list the row belongs to; device_reports names the one that counts
  report INTEGER NOT NULL,
  name TEXT NOT NULL,
  version TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL,
  vendor TEXT,
  install_date TEXT,
  install_location TEXT,
  uninstall_string TEXT,
  PRIMARY KEY (device_id, report, name COLLATE NOCASE, version, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER device_count_delete AFTER DELETE ON devices WHEN old.status <> 'decommissioned' BEGIN
  UPDATE organizations SET device_count = device_count - 1 WHERE id = old.org_id;
  UPDATE sites SET device_count = device_count - 1 WHERE id = old.site_id;
END;

CREATE TRIGGER device_count_insert AFTER INSERT ON devices WHEN new.status <> 'decommissioned' BEGIN
  UPDATE organizations SET device_count = device_count + 1 WHERE id = new.org_id;
  UPDATE sites SET device_count = device_count + 1 WHERE id = new.site_id;
END;

CREATE TRIGGER device_count_update AFTER UPDATE OF org_id, site_id, status ON devices
WHEN (old.org_id, old.site_id, old.status = 'decommissioned') IS NOT (new.org_id, new.site_id, new.status = 'decommissioned')
BEGIN
  UPDATE organizations SET device_count = device_count - (old.status <> 'decommissioned') WHERE id = old.org_id;
  UPDATE sites SET device_count = device_count - (old.status <> 'decommissioned') WHERE id = old.site_id;
  UPDATE organizations SET device_count = device_count + (new.status <> 'decommissioned') WHERE id = new.org_id;
  UPDATE sites SET device_count = device_count + (new.status <> 'decommissioned') WHERE id = new.site_id;
END;

CREATE TRIGGER device_group_due_insert AFTER INSERT ON devices
WHEN EXISTS (SELECT 1 FROM device_groups WHERE org_id = new.org_id AND type = 'dynamic')
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.id) ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1; END;

CREATE TRIGGER device_group_due_update AFTER UPDATE OF org_id, site_id, hostname, display_name, os_type, os_version,
  os_build, architecture, agent_version, device_role, status, enrolled_at, last_user, pending_reboot, is_headless, wan_ip,
  lan_ip, tags, custom_fields, watchdog_status ON devices
WHEN EXISTS (SELECT 1 FROM device_groups WHERE org_id = new.org_id AND type = 'dynamic')
BEGIN INSERT INTO device_group_due (device_id) VALUES (new.id) ON CONFLICT (device_id) DO UPDATE SET changes = changes + 1; END;

CREATE TRIGGER device_group_members_move AFTER UPDATE OF org_id, site_id ON devices
WHEN (old.org_id, old.site_id) IS NOT (new.org_id, new.site_id)
  AND NOT EXISTS (SELECT 1 FROM organizations WHERE id IN (old.org_id, new.org_id) AND status = 'merging')
BEGIN
  INSERT INTO device_group_log (group_id, device_id, action, reason, created_at)
    SELECT group_id, device_id, 'removed', iif(type = 'dynamic', 'filter_unmatch', 'manual'), new.updated_at
    FROM device_group_members JOIN device_groups ON device_groups.id = group_id
    WHERE device_id = new.id AND (org_id <> new.org_id OR site_id <> new.site_id);
  DELETE FROM device_group_members WHERE device_id = new.id AND group_id IN (
    SELECT id FROM device_groups WHERE org_id <> new.org_id OR site_id <> new.site_id
  );
END;

CREATE TRIGGER device_presence_insert AFTER INSERT ON devices BEGIN
  DELETE FROM device_presence WHERE device_id = new.id AND at > new.updated_at;
  INSERT INTO device_presence (device_id, at, status) VALUES (new.id, new.updated_at, new.status)
    ON CONFLICT (device_id, at) DO UPDATE SET status = excluded.status;
END;

CREATE TRIGGER device_presence_update AFTER UPDATE OF status ON devices WHEN old.status <> new.status
BEGIN
  DELETE FROM device_presence WHERE device_id = new.id AND at > new.updated_at;
  INSERT INTO device_presence (device_id, at, status) VALUES (new.id, new.updated_at, new.status)
    ON CONFLICT (device_id, at) DO UPDATE SET status = excluded.status;
END;

CREATE TRIGGER device_search_delete AFTER DELETE ON devices BEGIN
  DELETE FROM device_search_texts WHERE id BETWEEN old.seq * 4 AND old.seq * 4 + 3;
END;

CREATE TRIGGER device_search_insert AFTER INSERT ON devices BEGIN
  INSERT INTO device_search_texts (id, lines) VALUES (new.seq * 4, char(10) || coalesce(lower(substr(nullif(new.hostname, ''), 1, 270)) || char(10), '') || coalesce(lower(substr(nullif(new.display_name, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.last_user, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.lan_ip, ''), 1, 64)) || char(10), '') || coalesce(lower(substr(nullif(new.wan_ip, ''), 1, 64)) || char(10), ''));
END;

CREATE TRIGGER device_search_own_values_delete AFTER DELETE ON devices BEGIN
  DELETE FROM device_search_values WHERE id = old.seq * 4 AND value IN (lower(substr(old.last_user, 1, 255)), lower(substr(old.lan_ip, 1, 255)), lower(substr(old.wan_ip, 1, 255)));
END;

CREATE TRIGGER device_search_own_values_insert AFTER INSERT ON devices
WHEN coalesce(new.last_user, new.lan_ip, new.wan_ip) IS NOT NULL
BEGIN
  INSERT INTO device_search_values (value, id)
    SELECT value, new.seq * 4 FROM (SELECT lower(substr(new.last_user, 1, 255)) AS value UNION ALL SELECT lower(substr(new.lan_ip, 1, 255)) AS value UNION ALL SELECT lower(substr(new.wan_ip, 1, 255)) AS value) WHERE value <> '' ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER device_search_own_values_update AFTER UPDATE OF last_user, lan_ip, wan_ip ON devices
WHEN (old.last_user, old.lan_ip, old.wan_ip) IS NOT (new.last_user, new.lan_ip, new.wan_ip)
BEGIN
  DELETE FROM device_search_values WHERE id = old.seq * 4 AND value IN (lower(substr(old.last_user, 1, 255)), lower(substr(old.lan_ip, 1, 255)), lower(substr(old.wan_ip, 1, 255)));
  INSERT INTO device_search_values (value, id)
    SELECT value, new.seq * 4 FROM (SELECT lower(substr(new.last_user, 1, 255)) AS value UNION ALL SELECT lower(substr(new.lan_ip, 1, 255)) AS value UNION ALL SELECT lower(substr(new.wan_ip, 1, 255)) AS value) WHERE value <> '' ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER device_search_tags_insert AFTER INSERT ON devices WHEN new.tags <> '[]'
BEGIN
  INSERT INTO device_search_texts (id, lines) SELECT new.seq * 4 + 3, char(10) || (SELECT coalesce(group_concat(line, ''), '')
    FROM (SELECT coalesce(lower(substr(nullif(value, ''), 1, 100)) || char(10), '') AS line FROM json_each(new.tags) LIMIT 50)) WHERE new.seq * 4 + 3 IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;
END;

CREATE TRIGGER device_search_tags_update AFTER UPDATE OF tags ON devices WHEN old.tags <> new.tags
BEGIN
  INSERT INTO device_search_texts (id, lines) SELECT new.seq * 4 + 3, char(10) || (SELECT coalesce(group_concat(line, ''), '')
    FROM (SELECT coalesce(lower(substr(nullif(value, ''), 1, 100)) || char(10), '') AS line FROM json_each(new.tags) LIMIT 50)) WHERE new.seq * 4 + 3 IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;
END;

CREATE TRIGGER device_search_update AFTER UPDATE OF hostname, display_name, last_user, lan_ip, wan_ip ON devices WHEN (old.hostname, old.display_name, old.last_user, old.lan_ip, old.wan_ip) IS NOT (new.hostname, new.display_name, new.last_user, new.lan_ip, new.wan_ip)
BEGIN
  INSERT INTO device_search_texts (id, lines) SELECT new.seq * 4, char(10) || coalesce(lower(substr(nullif(new.hostname, ''), 1, 270)) || char(10), '') || coalesce(lower(substr(nullif(new.display_name, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.last_user, ''), 1, 255)) || char(10), '') || coalesce(lower(substr(nullif(new.lan_ip, ''), 1, 64)) || char(10), '') || coalesce(lower(substr(nullif(new.wan_ip, ''), 1, 64)) || char(10), '') WHERE new.seq * 4 IS NOT NULL
    ON CONFLICT (id) DO UPDATE SET lines = excluded.lines WHERE lines <> excluded.lines;
END;

CREATE TABLE devices (
  -- stable row number for the search index
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  site_id TEXT NOT NULL,
  agent_id TEXT NOT NULL UNIQUE,
  hostname TEXT NOT NULL CHECK (length(hostname) <= 270),
  display_name TEXT CHECK (length(display_name) <= 255),
  os_type TEXT NOT NULL CHECK (os_type IN ('windows', 'macos', 'linux')),
  os_version TEXT,
  os_build TEXT,
  architecture TEXT,
  agent_version TEXT,
  watchdog_version TEXT,
  agent_server_url TEXT,
  device_role TEXT NOT NULL DEFAULT 'unknown',
  device_role_source TEXT NOT NULL DEFAULT 'auto' CHECK (device_role_source IN ('auto', 'manual')),
  is_virtual INTEGER NOT NULL DEFAULT 0 CHECK (is_virtual IN (0, 1)),
  virtualization_platform TEXT,
  status TEXT NOT NULL CHECK (
    status IN ('online', 'offline', 'updating', 'maintenance', 'pending', 'quarantined', 'decommissioned')
  ),
  enrolled_at TEXT,
  enrolled_by TEXT REFERENCES enrollment_keys (id) ON DELETE SET NULL,
  last_seen_at TEXT,
  last_user TEXT,
  uptime_seconds INTEGER,
  pending_reboot INTEGER NOT NULL DEFAULT 0 CHECK (pending_reboot IN (0, 1)),
  is_headless INTEGER CHECK (is_headless IN (0, 1)),
  battery_status TEXT CHECK (battery_status IS NULL OR json_valid(battery_status)),
  wan_ip TEXT,
  wan_ip_audited_at TEXT,
  lan_ip TEXT,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  custom_fields TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(custom_fields)),
  cpu_percent REAL,
  ram_percent REAL,
  metrics_at TEXT,
  trust_fingerprints TEXT,
  agent_token_hash TEXT,
  watchdog_token_hash TEXT,
  helper_token_hash TEXT,
  token_issued_at TEXT,
  previous_token_hash TEXT,
  previous_token_expires_at TEXT,
  pending_token_hash TEXT,
  pending_watchdog_token_hash TEXT,
  pending_helper_token_hash TEXT,
  pending_token_expires_at TEXT,
  agent_token_suspended_at TEXT,
  agent_token_suspended_reason TEXT,
  quarantined_at TEXT,
  quarantined_reason TEXT,
  maintenance_until TEXT,
  uninstall_intent_at TEXT,
  watchdog_status TEXT,
  main_agent_silent_since TEXT,
  possible_replacement_of_device_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, disk_percent REAL, backup_version TEXT,
  -- a device's site is a site of its organization; deferrable because a merge rewrites both in two steps
  FOREIGN KEY (site_id, org_id) REFERENCES sites (id, org_id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX devices_disk_full ON devices (org_id) WHERE disk_percent >= 90;

CREATE INDEX devices_display_name ON devices (display_name COLLATE NOCASE, id) WHERE display_name IS NOT NULL;

CREATE INDEX devices_enrolled ON devices (enrolled_at DESC, id, status);

CREATE INDEX devices_enrolled_by ON devices (enrolled_by) WHERE enrolled_by IS NOT NULL;

CREATE INDEX devices_hostname ON devices (hostname COLLATE NOCASE, id, status);

CREATE INDEX devices_last_seen ON devices (last_seen_at DESC, id, status);

CREATE INDEX devices_org ON devices (org_id, status, site_id, os_type, device_role);

CREATE INDEX devices_restart_pending ON devices (org_id) WHERE pending_reboot = 1;

CREATE INDEX devices_site ON devices (site_id, hostname COLLATE NOCASE);

CREATE INDEX devices_status ON devices (status, last_seen_at);

CREATE TRIGGER enrollment_keys_updated_at AFTER INSERT ON enrollment_keys WHEN new.updated_at = ''
BEGIN
  UPDATE enrollment_keys SET updated_at = created_at WHERE id = new.id;
END;

CREATE TABLE enrollment_keys (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  site_id TEXT REFERENCES sites (id) ON DELETE SET NULL,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  key TEXT NOT NULL UNIQUE CHECK (length(key) <= 64),
  key_secret_hash TEXT,
  short_code TEXT CHECK (length(short_code) <= 12),
  installer_platform TEXT,
  usage_count INTEGER NOT NULL DEFAULT 0 CHECK (usage_count >= 0),
  max_usage INTEGER CHECK (max_usage >= 1),
  expires_at TEXT,
  created_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL DEFAULT '',
  CHECK (max_usage IS NULL OR usage_count <= max_usage)
) STRICT;

CREATE INDEX enrollment_keys_created ON enrollment_keys (created_at, id);

CREATE INDEX enrollment_keys_expiring ON enrollment_keys (expires_at);

CREATE INDEX enrollment_keys_org ON enrollment_keys (org_id, created_at);

CREATE INDEX enrollment_keys_site ON enrollment_keys (site_id) WHERE site_id IS NOT NULL;

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

CREATE UNIQUE INDEX invitations_org ON invitations (org_id, user_id) WHERE org_id IS NOT NULL;

CREATE UNIQUE INDEX invitations_partner ON invitations (partner_id, user_id) WHERE org_id IS NULL;

CREATE INDEX invitations_role ON invitations (role_id);

CREATE INDEX invitations_user ON invitations (user_id);

CREATE TABLE job_runs (
  name TEXT PRIMARY KEY,
  last_started_at TEXT,
  last_finished_at TEXT,
  last_duration_ms INTEGER,
  last_outcome TEXT CHECK (last_outcome IN ('success', 'failure')),
  last_error TEXT
) STRICT;

CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT;

CREATE TABLE one_time_secrets (
  kind TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  expires_at TEXT NOT NULL,
  PRIMARY KEY (kind, key_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX one_time_secrets_expires ON one_time_secrets (expires_at);

CREATE INDEX one_time_secrets_user ON one_time_secrets (user_id, kind);

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

CREATE TABLE org_merge_undo (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  -- the columns a merge has changed, or the whole row it has deleted
  before TEXT NOT NULL CHECK (json_valid(before)),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1))
) STRICT;

CREATE INDEX org_merge_undo_job ON org_merge_undo (job_id, seq);

CREATE VIRTUAL TABLE organization_search USING fts5 (name, content = '', contentless_delete = 1, tokenize = 'trigram');

CREATE TRIGGER organization_users_updated_at AFTER INSERT ON organization_users WHEN new.updated_at = ''
BEGIN
  UPDATE organization_users SET updated_at = created_at WHERE id = new.id;
END;

CREATE TABLE organization_users (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  role_id TEXT NOT NULL REFERENCES roles (id),
  site_ids TEXT CHECK (site_ids IS NULL OR json_valid(site_ids)),
  device_group_ids TEXT CHECK (device_group_ids IS NULL OR json_valid(device_group_ids)),
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL DEFAULT '',
  UNIQUE (org_id, user_id)
) STRICT;

CREATE INDEX organization_users_role ON organization_users (role_id);

CREATE INDEX organization_users_user ON organization_users (user_id);

CREATE TRIGGER organization_search_delete AFTER DELETE ON organizations BEGIN
  DELETE FROM organization_search WHERE rowid = old.seq;
END;

CREATE TRIGGER organization_search_insert AFTER INSERT ON organizations BEGIN
  UPDATE organizations SET seq = (SELECT coalesce(max(seq), 0) + 1 FROM organizations) WHERE id = new.id;
  INSERT INTO organization_search (rowid, name) SELECT seq, name FROM organizations WHERE id = new.id;
END;

CREATE TRIGGER organization_search_update AFTER UPDATE OF name ON organizations WHEN old.name <> new.name BEGIN
  DELETE FROM organization_search WHERE rowid = old.seq;
  INSERT INTO organization_search (rowid, name) VALUES (new.seq, new.name);
END;

CREATE TABLE organizations (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  slug TEXT NOT NULL CHECK (length(slug) BETWEEN 1 AND 100),
  type TEXT NOT NULL DEFAULT 'customer' CHECK (type IN ('customer', 'internal')),
  status TEXT NOT NULL DEFAULT 'active' CHECK (
    status IN ('active', 'suspended', 'trial', 'churned', 'offboarding', 'merging', 'archived', 'purging')
  ),
  max_devices INTEGER CHECK (max_devices >= 0),
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  sso_config TEXT CHECK (sso_config IS NULL OR json_valid(sso_config)),
  contract_start TEXT,
  contract_end TEXT,
  billing_contact TEXT CHECK (billing_contact IS NULL OR json_valid(billing_contact)),
  currency_code TEXT NOT NULL DEFAULT 'USD',
  -- position in the partner's preferred order; organizations without one come last, oldest first
  display_order INTEGER NOT NULL DEFAULT 9007199254740991,
  -- devices not decommissioned, kept by triggers
  device_count INTEGER NOT NULL DEFAULT 0,
  offboarding_started_at TEXT,
  offboarding_target TEXT NOT NULL DEFAULT 'churn' CHECK (offboarding_target IN ('churn', 'archive')),
  archived_at TEXT,
  purge_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
, seq INTEGER, archive_prior_status TEXT
  CHECK (archive_prior_status IN ('active', 'trial', 'suspended')), merge_prior_status TEXT CHECK (merge_prior_status IN ('active', 'trial', 'suspended')), purge_warn_14_sent_at TEXT, purge_warn_1_sent_at TEXT, purge_recovery_attempts INTEGER NOT NULL DEFAULT 0, billing_contact_id TEXT REFERENCES contacts (id) ON DELETE SET NULL, unsettled TEXT, audit_retention_days INTEGER CHECK (audit_retention_days BETWEEN 1 AND 3650)) STRICT;

CREATE INDEX organizations_archived ON organizations (partner_id, archived_at DESC, id) WHERE status = 'archived';

CREATE INDEX organizations_billing_contact ON organizations (billing_contact_id) WHERE billing_contact_id IS NOT NULL;

CREATE INDEX organizations_created ON organizations (created_at, id);

CREATE INDEX organizations_hidden ON organizations (id) WHERE (deleted_at IS NOT NULL OR status IN ('archived', 'purging'));

CREATE INDEX organizations_name ON organizations (name COLLATE NOCASE, id);

CREATE INDEX organizations_order ON organizations (partner_id, display_order, created_at, id);

CREATE UNIQUE INDEX organizations_seq ON organizations (seq);

CREATE UNIQUE INDEX organizations_slug ON organizations (partner_id, lower(slug));

CREATE INDEX organizations_status ON organizations (status);

CREATE INDEX organizations_unsettled ON organizations (id) WHERE unsettled IS NOT NULL;

CREATE TABLE partner_login_branding (
  partner_id TEXT PRIMARY KEY REFERENCES partners (id),
  logo_url TEXT CHECK (length(logo_url) <= 400000),
  accent_color TEXT CHECK (accent_color GLOB '#[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]'),
  headline TEXT CHECK (length(headline) <= 120),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TRIGGER partner_users_updated_at AFTER INSERT ON partner_users WHEN new.updated_at = ''
BEGIN
  UPDATE partner_users SET updated_at = created_at WHERE id = new.id;
END;

CREATE TABLE partner_users (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  role_id TEXT NOT NULL REFERENCES roles (id),
  org_access TEXT NOT NULL CHECK (org_access IN ('all', 'selected', 'none')),
  org_ids TEXT CHECK (org_ids IS NULL OR json_valid(org_ids)),
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL DEFAULT '',
  UNIQUE (partner_id, user_id)
) STRICT;

CREATE INDEX partner_users_role ON partner_users (role_id);

CREATE INDEX partner_users_user ON partner_users (user_id);

CREATE TRIGGER partners_psa_connection BEFORE UPDATE OF service_management_psa_connection_id ON partners
WHEN new.service_management_psa_connection_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM psa_connections WHERE id = new.service_management_psa_connection_id AND partner_id = new.id
)
BEGIN SELECT raise(ABORT, 'FOREIGN KEY constraint failed: no PSA connection of this partner'); END;

CREATE TABLE partners (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  slug TEXT NOT NULL CHECK (length(slug) BETWEEN 1 AND 100),
  type TEXT NOT NULL DEFAULT 'msp' CHECK (type IN ('msp', 'enterprise', 'internal')),
  plan TEXT NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'starter', 'community', 'pro', 'enterprise', 'unlimited')),
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'suspended', 'churned', 'offboarding')),
  max_organizations INTEGER CHECK (max_organizations >= 0),
  max_devices INTEGER CHECK (max_devices >= 0),
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  service_management_mode TEXT NOT NULL DEFAULT 'native' CHECK (service_management_mode IN ('native', 'external', 'off')),
  service_management_psa_connection_id TEXT,
  sso_config TEXT,
  billing_email TEXT CHECK (length(billing_email) <= 255),
  timezone TEXT NOT NULL DEFAULT 'UTC',
  currency_code TEXT NOT NULL DEFAULT 'USD',
  offboarding_started_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT, unsettled TEXT, inbound_local_part TEXT CHECK (length(inbound_local_part) BETWEEN 1 AND 63), email_signature TEXT CHECK (length(email_signature) <= 2000),
  CHECK ((service_management_mode = 'external') = (service_management_psa_connection_id IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX partners_inbound_local_part ON partners (lower(inbound_local_part)) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX partners_slug ON partners (lower(slug));

CREATE TABLE permissions (
  id TEXT PRIMARY KEY,
  resource TEXT NOT NULL CHECK (length(resource) <= 100),
  action TEXT NOT NULL CHECK (length(action) <= 50),
  description TEXT,
  UNIQUE (resource, action)
) STRICT;

CREATE TRIGGER psa_connections_in_use BEFORE DELETE ON psa_connections
WHEN EXISTS (SELECT 1 FROM partners WHERE service_management_psa_connection_id = old.id)
BEGIN SELECT raise(ABORT, 'FOREIGN KEY constraint failed: the partner works with this PSA connection'); END;

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

CREATE TABLE rate_limits (
  bucket TEXT NOT NULL,
  key TEXT NOT NULL,
  hits TEXT NOT NULL CHECK (json_valid(hits)),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (bucket, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE refresh_tokens (
  jti TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  expires_at TEXT NOT NULL,
  rotated_at TEXT
) STRICT;

CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);

CREATE TABLE restore_jobs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  -- Its name and time stay when the snapshot is gone.
  snapshot_id TEXT REFERENCES backup_snapshots (id) ON DELETE SET NULL,
  snapshot_taken_at TEXT NOT NULL,
  -- The device that gets the files.
  device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  restore_type TEXT NOT NULL,
  -- JSON: files and folders as people see them.
  selected_paths TEXT NOT NULL,
  target_path TEXT,
  in_place INTEGER NOT NULL DEFAULT 0,
  existing_files TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  expected_files INTEGER,
  expected_bytes INTEGER,
  restored_files INTEGER,
  restored_size INTEGER,
  timed_out_by_server INTEGER NOT NULL DEFAULT 0,
  -- JSON: what the device said in the end.
  result TEXT,
  initiated_by TEXT REFERENCES users (id),
  dispatched_at TEXT,
  started_at TEXT,
  completed_at TEXT,
  last_progress_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, vault_id TEXT REFERENCES backup_vaults (id) ON DELETE SET NULL) STRICT;

CREATE INDEX restore_jobs_device ON restore_jobs (device_id, created_at);

CREATE INDEX restore_jobs_initiated_by ON restore_jobs (initiated_by) WHERE initiated_by IS NOT NULL;

CREATE INDEX restore_jobs_open ON restore_jobs (device_id) WHERE status IN ('pending', 'running');

CREATE INDEX restore_jobs_org ON restore_jobs (org_id, created_at);

CREATE INDEX restore_jobs_snapshot ON restore_jobs (snapshot_id) WHERE snapshot_id IS NOT NULL;

CREATE INDEX restore_jobs_vault ON restore_jobs (vault_id) WHERE vault_id IS NOT NULL;

CREATE TABLE role_permissions (
  role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  permission_id TEXT NOT NULL REFERENCES permissions (id),
  constraints TEXT,
  PRIMARY KEY (role_id, permission_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE roles (
  id TEXT PRIMARY KEY,
  partner_id TEXT REFERENCES partners (id),
  org_id TEXT REFERENCES organizations (id),
  parent_role_id TEXT REFERENCES roles (id),
  scope TEXT NOT NULL CHECK (scope IN ('system', 'partner', 'organization')),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  description TEXT,
  is_system INTEGER NOT NULL DEFAULT 0 CHECK (is_system IN (0, 1)),
  force_mfa INTEGER NOT NULL DEFAULT 0 CHECK (force_mfa IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (is_system = 1 OR (scope = 'partner' AND partner_id IS NOT NULL AND org_id IS NULL)
    OR (scope = 'organization' AND org_id IS NOT NULL AND partner_id IS NULL))
) STRICT;

CREATE UNIQUE INDEX roles_built_in ON roles (name, scope) WHERE partner_id IS NULL AND org_id IS NULL;

CREATE INDEX roles_org ON roles (org_id) WHERE org_id IS NOT NULL;

CREATE INDEX roles_parent ON roles (parent_role_id) WHERE parent_role_id IS NOT NULL;

CREATE INDEX roles_partner ON roles (partner_id) WHERE partner_id IS NOT NULL;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL,
  ip_address TEXT CHECK (length(ip_address) <= 45),
  user_agent TEXT,
  auth_at TEXT NOT NULL,
  mfa_at TEXT,
  mfa_source TEXT CHECK (mfa_source IN ('totp', 'sms', 'passkey', 'recovery', 'idp')),
  auth_epoch INTEGER NOT NULL,
  mfa_epoch INTEGER NOT NULL,
  mobile_device_id TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  revoked_reason TEXT CHECK (length(revoked_reason) <= 64)
, membership_id TEXT, sso_provider_id TEXT) STRICT;

CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE INDEX sessions_membership ON sessions (membership_id);

CREATE INDEX sessions_sso_provider ON sessions (sso_provider_id) WHERE sso_provider_id IS NOT NULL;

CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER device_groups_site_delete BEFORE DELETE ON sites BEGIN
  UPDATE device_groups SET type = 'static' WHERE site_id = old.id AND type = 'dynamic';
END;

CREATE TABLE sites (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  address TEXT CHECK (address IS NULL OR json_valid(address)),
  timezone TEXT NOT NULL DEFAULT 'UTC' CHECK (length(timezone) <= 50),
  contact TEXT CHECK (contact IS NULL OR json_valid(contact)),
  settings TEXT CHECK (settings IS NULL OR json_valid(settings)),
  device_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (id, org_id)
) STRICT;

CREATE INDEX sites_created ON sites (created_at, id);

CREATE INDEX sites_name ON sites (name COLLATE NOCASE, id);

CREATE INDEX sites_org ON sites (org_id, created_at, id);

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

CREATE INDEX sso_exchange_grants_provider ON sso_exchange_grants (provider_id);

CREATE INDEX sso_exchange_grants_user ON sso_exchange_grants (user_id);

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

CREATE TABLE sso_seen_codes (
  code_digest TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sso_seen_codes_expires ON sso_seen_codes (expires_at);

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

CREATE INDEX sso_sessions_link_user ON sso_sessions (link_user_id) WHERE link_user_id IS NOT NULL;

CREATE INDEX sso_sessions_provider ON sso_sessions (provider_id);

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

CREATE TABLE storage_encryption_keys (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  key_type TEXT NOT NULL DEFAULT 'aes_256',
  public_key_pem TEXT,
  -- Sealed with the keys of the appliance.
  encrypted_private_key TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  -- The appliance made it, so that it can open repositories with it.
  is_managed INTEGER NOT NULL DEFAULT 1,
  is_active INTEGER NOT NULL DEFAULT 1,
  rotated_at TEXT,
  expires_at TEXT,
  replaced_by TEXT REFERENCES storage_encryption_keys (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, locked_away_at TEXT, sheet_reminded_at TEXT) STRICT;

CREATE INDEX storage_encryption_keys_inactive ON storage_encryption_keys (id) WHERE is_active = 0;

CREATE INDEX storage_encryption_keys_org ON storage_encryption_keys (org_id);

CREATE INDEX storage_encryption_keys_replaced ON storage_encryption_keys (replaced_by) WHERE replaced_by IS NOT NULL;

CREATE INDEX storage_encryption_keys_unprinted ON storage_encryption_keys (org_id)
  WHERE is_managed = 1 AND is_active = 1 AND locked_away_at IS NULL;

CREATE TABLE tasks (
  -- the order in which they were added; none is used twice, or an attempt at one that is gone could end another one
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  -- of those with the same key one runs at a time, whatever their kinds
  key TEXT,
  org_id TEXT,
  partner_id TEXT,
  requested_by TEXT,
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'active', 'completed', 'failed', 'cancelled', 'expired')),
  input TEXT NOT NULL CHECK (json_valid(input)),
  progress TEXT CHECK (progress IS NULL OR json_valid(progress)),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  -- in words that may be shown
  error TEXT,
  -- how often it was started
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at TEXT,
  -- of a task that runs: when it is taken for lost
  lease_until TEXT,
  -- not done by then, it is given up
  deadline_at TEXT,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  CHECK ((state = 'waiting') = (due_at IS NOT NULL)),
  CHECK ((state = 'active') = (lease_until IS NOT NULL)),
  CHECK ((state IN ('waiting', 'active')) = (finished_at IS NULL))
) STRICT;

CREATE INDEX tasks_deadlines ON tasks (deadline_at) WHERE deadline_at IS NOT NULL AND finished_at IS NULL;

CREATE INDEX tasks_failed ON tasks (seq) WHERE state = 'failed';

CREATE INDEX tasks_finished ON tasks (finished_at, kind, state) WHERE finished_at IS NOT NULL;

CREATE INDEX tasks_kind ON tasks (kind, seq, state);

CREATE INDEX tasks_leases ON tasks (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX tasks_open ON tasks (kind, due_at, seq) WHERE finished_at IS NULL;

CREATE INDEX tasks_org ON tasks (org_id) WHERE org_id IS NOT NULL;

CREATE UNIQUE INDEX tasks_running_key ON tasks (key) WHERE key IS NOT NULL AND lease_until IS NOT NULL;

CREATE TABLE user_avatars (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  mime TEXT NOT NULL,
  data BLOB NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE user_passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL DEFAULT 0 CHECK (counter >= 0),
  -- the host name it was made at: a browser offers it nowhere else
  rp_id TEXT NOT NULL CHECK (length(rp_id) <= 255),
  device_type TEXT NOT NULL CHECK (device_type IN ('singleDevice', 'multiDevice')),
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  transports TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(transports)),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  aaguid TEXT CHECK (length(aaguid) <= 36),
  last_used_at TEXT,
  disabled_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, sso_provider_id TEXT) STRICT;

CREATE INDEX user_passkeys_user ON user_passkeys (user_id, created_at);

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

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL CHECK (length(email) <= 255 AND email = lower(trim(email))),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
  password_hash TEXT,
  mfa_secret TEXT,
  mfa_enabled INTEGER NOT NULL DEFAULT 0 CHECK (mfa_enabled IN (0, 1)),
  mfa_recovery_codes TEXT CHECK (mfa_recovery_codes IS NULL OR json_valid(mfa_recovery_codes)),
  mfa_method TEXT CHECK (mfa_method IN ('totp', 'sms', 'passkey')),
  phone_number TEXT,
  phone_verified INTEGER NOT NULL DEFAULT 0 CHECK (phone_verified IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('active', 'invited', 'disabled')),
  avatar_url TEXT,
  is_platform_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_platform_admin IN (0, 1)),
  preferences TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(preferences)),
  auth_epoch INTEGER NOT NULL DEFAULT 1,
  mfa_epoch INTEGER NOT NULL DEFAULT 1,
  setup_completed_at TEXT,
  email_verified_at TEXT,
  last_login_at TEXT,
  password_changed_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, disabled_reason TEXT CHECK (length(disabled_reason) <= 500), email_epoch INTEGER NOT NULL DEFAULT 1, password_reset_epoch INTEGER NOT NULL DEFAULT 1, pending_email TEXT
  CHECK (length(pending_email) <= 255 AND pending_email = lower(trim(pending_email))), pending_email_requested_at TEXT, mfa_enrollment_grace_granted_at TEXT, mfa_enrollment_deadline TEXT, mfa_enrollment_notice_sent_at TEXT, mfa_enrollment_reminded_at TEXT, last_membership_id TEXT, mfa_reset_at TEXT) STRICT;

CREATE UNIQUE INDEX users_email ON users (email);

CREATE INDEX users_enrollment_window ON users (mfa_enrollment_deadline)
  WHERE mfa_enrollment_deadline IS NOT NULL AND mfa_enabled = 0;

CREATE INDEX users_name ON users (name COLLATE NOCASE, id);
