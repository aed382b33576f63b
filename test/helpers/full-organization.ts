import { randomUUIDv7 } from 'node:crypto'
import type { Database, TableName } from '../../server/db/database.ts'
import { rulesOf, tableNames } from '../../server/tables.ts'

export interface Amounts {
  devices: number
  perDevice: { software: number; metrics: number; commands: number; events: number }
}

const few: Amounts = { devices: 3, perDevice: { software: 4, metrics: 5, commands: 2, events: 2 } }
const at = '2026-01-01T00:00:00.000Z'

/** Puts rows of every kind into an organization, straight into the tables. Returns the ids that name something in it. */
export function fillOrganization(db: Database, org: { id: string; partnerId: string }, amounts = few): string[] {
  const insert = (table: TableName, row: Record<string, string | number | null>): void => {
    const columns = Object.keys(row)
    const marks = columns.map(() => '?').join(', ')
    db.statement(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`).run(Object.values(row))
  }
  const made = (table: TableName, row: Record<string, string | number | null>): string => {
    const id = randomUUIDv7()
    insert(table, { id, ...row })
    return id
  }
  const dated = { created_at: at, updated_at: at }
  const owned = { org_id: org.id, ...dated }

  return db.transaction(() => {
    const site = made('sites', { ...owned, name: 'HQ' })
    const key = made('enrollment_keys', {
      org_id: org.id,
      site_id: site,
      name: 'Key',
      key: randomUUIDv7(),
      created_at: at,
    })
    const parent = made('device_groups', { ...owned, name: 'All' })
    const group = made('device_groups', { ...owned, name: 'Some', parent_id: parent, site_id: site })
    const contact = made('contacts', { ...owned, name: 'Cleo', roles: '["billing"]', is_primary: 1 })
    made('contacts', { ...owned, site_id: site, email: 'desk@acme.test', is_primary: 1 })
    const link = { org_id: org.id, contact_id: contact, system: 'psa', external_id: contact, created_at: at }
    made('contact_external_links', link)
    made('psa_connections', { ...owned, provider: 'jira', name: 'Jira' })
    const helpdesk = made('roles', { ...owned, scope: 'organization', name: 'Helpdesk' })
    const trainee = made('roles', { ...owned, scope: 'organization', name: 'Trainee', parent_role_id: helpdesk })
    const permission = db.statement('SELECT id FROM permissions').pluck().get() as string | undefined
    if (permission) insert('role_permissions', { role_id: helpdesk, permission_id: permission })
    const user = made('users', { email: `${randomUUIDv7()}@acme.test`, name: 'Mia', status: 'active', ...dated })
    const membership = { org_id: org.id, user_id: user, role_id: trainee, created_at: at }
    made('organization_users', {
      ...membership,
      site_ids: JSON.stringify([site]),
      device_group_ids: JSON.stringify([group]),
    })
    const guest = made('users', { email: `${randomUUIDv7()}@acme.test`, name: 'Gus', status: 'active', ...dated })
    const entered = { email: 'gus@acme.test', name: 'Gus', inviter_name: 'Mia', expires_at: '2999', ...dated }
    made('invitations', { user_id: guest, partner_id: org.partnerId, org_id: org.id, role_id: trainee, ...entered })
    signIn(user)
    fillSingleSignOn(user, helpdesk)
    const key_prefix = 'svc_abcdefgh'
    made('api_keys', { ...owned, name: 'Backup script', key_hash: randomUUIDv7(), key_prefix, created_by: user })
    const devices = Array.from({ length: amounts.devices }, (_, n) => fillDevice(n, site, key, group))
    fillPolicies(site, group, devices)
    made('backup_usage_days', { org_id: org.id, site_id: site, day: '2026-01-01', stored_bytes: 1 })
    db.statement(
      `INSERT INTO audit_chains (org_id, partner_id, first_seq, head_seq, head, length)
       VALUES (?, ?, 1, 1, 'x', 1) ON CONFLICT DO NOTHING`,
    ).run(org.id, org.partnerId)
    for (const table of tableNames) if (isEmptyOne(table)) insert(table, smallestRow(table))
    return [org.id, site, key, parent, group, contact, helpdesk, trainee, ...devices]
  })

  /** With a profile and a storage, assigned to each kind of target. */
  function fillPolicies(site_id: string, group_id: string, devices: readonly string[]): void {
    const backup_profile_id = made('backup_profiles', { ...owned, name: 'Servers', selections: '{}' })
    const storage = { ...owned, name: 'Store', provider: 'local', provider_config: 'x' }
    const destination_config_id = made('backup_configs', storage)
    for (const device_id of devices) fillBackups(device_id, destination_config_id)
    const config_policy_id = made('configuration_policies', { ...owned, name: 'Nightly' })
    const link = { config_policy_id, feature_type: 'backup', ...dated }
    const feature_link_id = made('config_policy_feature_links', link)
    insert('backup_link_references', { feature_link_id, backup_profile_id, destination_config_id })
    const assignment = { config_policy_id, org_id: org.id, created_at: at }
    made('config_policy_assignments', { ...assignment, level: 'organization' })
    made('config_policy_assignments', { ...assignment, level: 'site', site_id })
    made('config_policy_assignments', { ...assignment, level: 'device_group', group_id })
    for (const device_id of devices.slice(0, 3))
      made('config_policy_assignments', { ...assignment, level: 'device', device_id })
  }

  /** A repository with a job, a snapshot and a restore. */
  function fillBackups(device_id: string, config_id: string): void {
    const newer = made('storage_encryption_keys', { ...owned, name: 'Key', encrypted_private_key: 'x', key_hash: 'x' })
    const replaced = { name: 'Old key', encrypted_private_key: 'x', key_hash: 'x', replaced_by: newer }
    const key_id = made('storage_encryption_keys', { ...owned, ...replaced })
    const of = { ...owned, device_id, config_id }
    const repository_id = made('backup_repositories', { ...of, sub_path: 'x', key_id })
    const credential = { repository_id, command_id: 'x', mode: 'append', secret_hash: 'x' }
    made('backup_store_credentials', { ...credential, created_at: at, expires_at: at })
    made('backup_repository_keys', { repository_id, key_id: newer, created_at: at })
    const parent_job_id = made('backup_jobs', { ...of, type: 'manual', backup_mode: 'file', selection: '{}' })
    const job = { type: 'manual', backup_mode: 'file', selection: '{}', parent_job_id }
    const job_id = made('backup_jobs', { ...of, ...job })
    const kind = { backup_type: 'file', backup_mode: 'file', label: 'Backup', size: 1, file_count: 1, timestamp: at }
    const from = { repository_id, job_id, encryption_key_id: key_id, snapshot_id: 'x' }
    const snapshot_id = made('backup_snapshots', { ...of, ...kind, ...from })
    const place = { name: 'Copy', place: 'device', vault_path: '/srv', vault_type: 'local', retention_count: 3 }
    const vault_id = made('backup_vaults', { ...owned, device_id, ...place })
    const copied = { device_id, repository_id, folder: 'x', sub_path: 'x', key_id, former_key_id: newer }
    const vault_repository_id = made('backup_vault_repositories', { ...owned, vault_id, ...copied })
    const known = { snapshot_id: 'x', copy_id: 'y', backup_mode: 'file', taken_at: at, synced_at: at }
    made('backup_vault_snapshots', { vault_repository_id, ...known })
    const restore = { restore_type: 'full', selected_paths: '[]', in_place: 0, existing_files: 'rename' }
    made('restore_jobs', { ...owned, ...restore, device_id, snapshot_id, snapshot_taken_at: at })
    made('backup_attention', { org_id: org.id, device_id, kind: 'failed', details: '{}', opened_at: at })
    const change = { backup_mode: 'file', taken_at: at, sign: 'kinds', numbers: '{}', state: 'open', found_at: at }
    made('backup_unusual_changes', { org_id: org.id, device_id, config_id, snapshot_id, ...change })
    made('backup_change_checks', { org_id: org.id, device_id, repository_id, stored_bytes: 1 })
    made('backup_device_days', { org_id: org.id, device_id, day: '2026-01-01', stored_bytes: 1, newest_bytes: 1 })
    const slaConfig = { ...owned, name: 'Daily', rpo_target_minutes: 1560, rto_target_minutes: 240 }
    const sla_config_id = made('backup_sla_configs', slaConfig)
    const breach = { event_type: 'rpo_breach', details: '{}', detected_at: at }
    made('backup_sla_events', { org_id: org.id, sla_config_id, device_id, ...breach })
    const check = { verification_type: 'integrity', source: 'manual', ran_on: 'device', started_at: at }
    const checked = { repository_id, backup_job_id: job_id, snapshot_id, snapshot_taken_at: at }
    made('backup_verifications', { ...owned, device_id, ...check, ...checked })
    made('backup_snapshot_checksums', { snapshot_id, org_id: org.id, device_id, files: '[]', created_at: at })
    made('backup_locked_objects', { repository_id, folder: '.', objects: '{}' })
    const tried = { place: 'https://s3.test/b', tried_at: at, try_again_at: at }
    made('backup_object_lock_tries', { repository_id, org_id: org.id, device_id, ...tried })
    made('backup_data_reads', { repository_id, org_id: org.id, device_id, part: 1, read_at: at })
    const score = { readiness_score: 80, risk_factors: '[]', last_checked_at: at, calculated_at: at }
    made('backup_readiness', { org_id: org.id, device_id, ...score })
    made('backup_watches', { org_id: org.id, device_id, schedule: 'x', since: at })
  }

  /** Of the organization, and without a row above. */
  function isEmptyOne(table: TableName): boolean {
    const { erasure } = rulesOf(table)
    if (!('goWith' in erasure) || erasure.goWith !== 'organization') return false
    return !db.statement(`SELECT 1 FROM ${table} WHERE org_id = ?`).get(org.id)
  }

  /** What the table asks for: the id of the organization, and any text or number. */
  function smallestRow(table: TableName): Record<string, string | number> {
    const columns = db
      .statement(`SELECT name, type FROM pragma_table_info(?) WHERE "notnull" = 1 AND dflt_value IS NULL OR pk > 0`)
      .all(table) as { name: string; type: string }[]
    const values = columns.map(({ name, type }) => [name, type === 'TEXT' ? randomUUIDv7() : 1] as const)
    return { ...Object.fromEntries(values), org_id: org.id }
  }

  function signIn(userId: string): void {
    const epochs = { auth_epoch: 1, mfa_epoch: 1 }
    const times = { auth_at: at, created_at: at, last_used_at: at, expires_at: '2099-01-01T00:00:00.000Z' }
    const session = made('sessions', { user_id: userId, token_hash: randomUUIDv7(), ...epochs, ...times })
    insert('refresh_tokens', { jti: randomUUIDv7(), session_id: session, expires_at: times.expires_at })
  }

  function fillSingleSignOn(user_id: string, default_role_id: string): void {
    const provider = { name: 'Acme', type: 'oidc', attribute_mapping: '{}', default_role_id }
    const provider_id = made('sso_providers', { ...owned, ...provider, status: 'active', enforce_sso: 1 })
    made('user_sso_identities', { user_id, provider_id, external_id: randomUUIDv7(), ...dated })
    const passing = { provider_id, provider_version: 1, created_at: at, expires_at: at }
    const way = { nonce: 'x', code_verifier: 'x', redirect_url: '/', mode: 'login' }
    made('sso_sessions', { ...passing, ...way, state: randomUUIDv7() })
    const epochs = { auth_epoch: 1, mfa_epoch: 1 }
    made('sso_exchange_grants', {
      ...passing,
      ...epochs,
      code_digest: randomUUIDv7(),
      user_id,
      membership_id: randomUUIDv7(),
      mfa: 0,
    })
  }

  function fillDevice(n: number, site: string, key: string, group: string): string {
    const place = { ...owned, site_id: site, enrolled_by: key }
    const device_id = made('devices', {
      ...place,
      agent_id: randomUUIDv7(),
      hostname: `pc-${n}`,
      os_type: 'linux',
      status: n % 5 ? 'offline' : 'decommissioned',
    })
    insert('device_hardware', { device_id, cpu_model: 'Z80', updated_at: at })
    insert('device_reports', { device_id, kind: 'disks', content: '[]', content_hash: 'x', reported_at: at })
    insert('device_recovery_keys', { device_id, key_hash: 'x', encrypted: 'x', reported_at: at })
    insert('device_group_members', { group_id: group, device_id, added_by: 'manual', added_at: at })
    insert('device_group_log', { group_id: group, device_id, action: 'added', reason: 'manual', created_at: at })
    insert('device_group_due', { device_id })
    const { software, metrics, commands, events } = amounts.perDevice
    for (let position = 0; position < software; position++)
      insert('device_software', { device_id, report: 1, name: `Program ${position}`, version: '1.0', position })
    for (let minute = 0; minute < metrics; minute++)
      insert('device_metrics', {
        device_id,
        at: minute * 60_000,
        cpu: 1,
        ram: 2,
        ram_used_mb: 3,
        disk: 4,
        disk_used_gb: 5,
      })
    for (let count = 0; count < commands; count++) {
      const command = { device_id, type: 'script', payload: '{}', status: 'completed', created_at: at }
      insert('device_command_outputs', {
        command_id: made('device_commands', command),
        device_id,
        stdout: 'x'.repeat(2000),
      })
    }
    for (let count = 0; count < events; count++) record(device_id, count)
    return device_id
  }

  function record(deviceId: string, count: number): void {
    const who = { actor_type: 'system', actor_id: org.id, initiated_by: 'automation' }
    const what = { action: 'device.update', resource_type: 'device', resource_id: deviceId, result: 'success' }
    const timestamp = new Date(Date.parse(at) + count).toISOString()
    made('audit_logs', { org_id: org.id, partner_id: org.partnerId, timestamp, ...who, ...what, checksum: 'x' })
  }
}

export const tablesOf = (db: Database): TableName[] =>
  db
    .statement(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    .pluck()
    .all() as TableName[]

/** The tables in which one of the ids is named, anywhere. */
export function mentionsOf(db: Database, ids: readonly string[]): string[] {
  return tablesOf(db)
    .filter((table) => {
      const text = JSON.stringify(db.statement(`SELECT * FROM ${table}`).all())
      return ids.some((id) => text.includes(id))
    })
    .sort()
}
