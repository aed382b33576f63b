import { type RawBuilder, sql } from 'kysely'
import type { OrgReach } from '../platform/actor.ts'
import type { TableName } from './database.ts'

/**
 * SQLite has no row-level security: the predicate "inside what this actor reaches" is part of every query on tenant
 * data, and this is the only place that writes it. A table without a rule here does not compile.
 */
type Rule =
  | { by: 'organization'; org: string; site?: string }
  | { by: 'device'; device: string }
  /** Not tenant data, or reached only through a row that is; the reason is for the reader. */
  | { by: 'none'; because: string }

export const tenancyRules: Record<TableName, Rule> = {
  organizations: { by: 'organization', org: 'id' },
  sites: { by: 'organization', org: 'org_id', site: 'id' },
  enrollment_keys: { by: 'organization', org: 'org_id', site: 'site_id' },
  devices: { by: 'organization', org: 'org_id', site: 'site_id' },
  device_hardware: { by: 'device', device: 'device_id' },
  device_software: { by: 'device', device: 'device_id' },
  device_reports: { by: 'device', device: 'device_id' },
  device_recovery_keys: { by: 'device', device: 'device_id' },
  device_metrics: { by: 'device', device: 'device_id' },
  device_commands: { by: 'device', device: 'device_id' },
  device_command_outputs: { by: 'device', device: 'device_id' },
  partners: { by: 'none', because: 'read by the id in the session only' },
  users: { by: 'none', because: 'an identity belongs to no tenant; it is reached through a membership' },
  user_passkeys: { by: 'none', because: 'read by the user in the session, or by the id a browser presents' },
  partner_users: { by: 'none', because: 'read by the partner in the session' },
  organization_users: { by: 'none', because: 'read by the user in the session' },
  roles: { by: 'none', because: 'read through a membership' },
  permissions: { by: 'none', because: 'the catalogue is the same for everybody' },
  role_permissions: { by: 'none', because: 'read through a role' },
  sessions: { by: 'none', because: 'read by the session id in a signed token' },
  refresh_tokens: { by: 'none', because: 'read by the id in a signed token' },
  one_time_secrets: { by: 'none', because: 'read by the hash of a secret' },
  audit_logs: { by: 'none', because: 'written here; its readers bring their own rule' },
  outbox: { by: 'none', because: 'the appliance talks to itself' },
  mail_messages: { by: 'none', because: 'about the appliance' },
  job_runs: { by: 'none', because: 'about the appliance' },
  rate_limits: { by: 'none', because: 'about the appliance' },
  settings: { by: 'none', because: 'about the appliance' },
}

export interface Reach {
  orgs: OrgReach
  sites: ReadonlySet<string> | null
}

/** For the appliance's own work; never for something a request asked for. */
export const unlimitedReach: Reach = { orgs: 'all', sites: null }

const always = sql<boolean>`1`
const inList = (column: RawBuilder<unknown>, ids: Iterable<string>) =>
  sql<boolean>`${column} in (select value from json_each(${JSON.stringify([...ids])}))`

/** The tenancy predicate of `table`, for a `where`; `alias` when the query names the table otherwise. */
export function withinReach(reach: Reach, table: TableName, alias: string = table): RawBuilder<boolean> {
  const rule = tenancyRules[table]
  if (rule.by === 'none') throw new Error(`${table} has no tenancy: ${rule.because}`)
  if (rule.by === 'device') {
    if (reach.orgs === 'all' && reach.sites === null) return always
    return sql<boolean>`exists (select 1 from devices where devices.id = ${sql.ref(`${alias}.${rule.device}`)} and ${withinReach(reach, 'devices')})`
  }
  const byOrg = reach.orgs === 'all' ? null : inList(sql.ref(`${alias}.${rule.org}`), reach.orgs)
  const bySite = reach.sites === null || !rule.site ? null : inList(sql.ref(`${alias}.${rule.site}`), reach.sites)
  if (byOrg && bySite) return sql<boolean>`(${byOrg} and ${bySite})`
  return byOrg ?? bySite ?? always
}
