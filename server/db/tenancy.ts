import { type RawBuilder, sql } from 'kysely'
import { everyOrg, type OrgReach } from '../platform/actor.ts'
import type { TableName } from './database.ts'

/**
 * SQLite has no row-level security: the predicate "inside what this actor reaches" is part of every query on tenant
 * data, and this is the only place that writes it. A table without a rule here does not compile.
 */
type Rule =
  | {
      by: 'organization'
      org: string
      /** The partner, where the row knows it. */
      partner?: string
      site?: string
      /** Rows of no site in particular are seen by everybody in the organization. */
      isSeenWithoutSite?: true
      /** The id of a device, where the table's rows are devices, or of a group. */
      device?: string
      group?: string
      /** About devices that are in no group yet: nothing for somebody confined to groups. */
      isOfNoGroup?: true
    }
  | { by: 'device'; device: string }
  /** Not tenant data, or reached only through a row that is; the reason is for the reader. */
  | { by: 'none'; because: string }

export const tenancyRules: Record<TableName, Rule> = {
  organizations: { by: 'organization', org: 'id', partner: 'partner_id' },
  sites: { by: 'organization', org: 'org_id', site: 'id' },
  enrollment_keys: { by: 'organization', org: 'org_id', site: 'site_id', isOfNoGroup: true },
  devices: { by: 'organization', org: 'org_id', site: 'site_id', device: 'id' },
  api_keys: { by: 'organization', org: 'org_id' },
  sso_verified_domains: { by: 'organization', org: 'org_id' },
  contacts: { by: 'organization', org: 'org_id', site: 'site_id', isSeenWithoutSite: true },
  contact_external_links: { by: 'organization', org: 'org_id' },
  device_groups: { by: 'organization', org: 'org_id', site: 'site_id', group: 'id' },
  device_group_members: { by: 'device', device: 'device_id' },
  device_group_log: { by: 'device', device: 'device_id' },
  device_group_due: { by: 'device', device: 'device_id' },
  device_hardware: { by: 'device', device: 'device_id' },
  device_software: { by: 'device', device: 'device_id' },
  device_reports: { by: 'device', device: 'device_id' },
  device_recovery_keys: { by: 'device', device: 'device_id' },
  device_metrics: { by: 'device', device: 'device_id' },
  device_commands: { by: 'device', device: 'device_id' },
  device_command_outputs: { by: 'device', device: 'device_id' },
  partners: { by: 'none', because: 'read by the id in the session only' },
  partner_login_branding: { by: 'none', because: 'read by the partner in the session' },
  psa_connections: { by: 'none', because: 'of a partner or of an organization; its store brings the rule' },
  sso_providers: { by: 'none', because: 'of a partner or of an organization; its store brings the rule' },
  user_sso_identities: {
    by: 'none',
    because: 'of an identity; read by its user, or by the subject a provider vouches for',
  },
  sso_sessions: { by: 'none', because: 'read by the state that a browser brings back' },
  sso_seen_codes: { by: 'none', because: 'read by the digest of a code' },
  sso_exchange_grants: { by: 'none', because: 'read by the digest of a code' },
  org_merge_events: { by: 'none', because: 'history of the appliance' },
  org_merge_undo: { by: 'none', because: 'belongs to the merge under way' },
  users: { by: 'none', because: 'an identity belongs to no tenant; it is reached through a membership' },
  user_avatars: { by: 'none', because: 'of an identity; it is reached through a membership' },
  user_passkeys: { by: 'none', because: 'read by the user in the session, or by the id a browser presents' },
  partner_users: { by: 'none', because: 'read by the partner in the session' },
  organization_users: { by: 'none', because: 'read by the user in the session' },
  invitations: { by: 'none', because: 'read by the tenant that is meant, or by the invited user in the session' },
  roles: { by: 'none', because: 'read through a membership' },
  permissions: { by: 'none', because: 'the catalogue is the same for everybody' },
  role_permissions: { by: 'none', because: 'read through a role' },
  sessions: { by: 'none', because: 'read by the session id in a signed token' },
  refresh_tokens: { by: 'none', because: 'read by the id in a signed token' },
  one_time_secrets: { by: 'none', because: 'read by the hash of a secret' },
  audit_logs: { by: 'none', because: 'written here; its readers bring their own rule' },
  audit_chains: {
    by: 'none',
    because: 'of a partner, an organization or the appliance; its readers bring their own rule',
  },
  tasks: { by: 'none', because: 'about the appliance; read by the id of a task together with its partner' },
  job_runs: { by: 'none', because: 'about the appliance' },
  rate_limits: { by: 'none', because: 'about the appliance' },
  settings: { by: 'none', because: 'about the appliance' },
}

export interface Reach {
  orgs: OrgReach
  sites: ReadonlySet<string> | null
  /** Device groups somebody is confined to; null means no confinement. */
  groups: ReadonlySet<string> | null
}

/** For the appliance's own work; never for something a request asked for. */
export const unlimitedReach: Reach = { orgs: everyOrg, sites: null, groups: null }

const always = sql<boolean>`1`
const listOf = (ids: Iterable<string>) => sql`(select value from json_each(${JSON.stringify([...ids])}))`

/** The tenancy predicate of `table`, for a `where`; `alias` when the query names the table otherwise. */
export function withinReach(reach: Reach, table: TableName, alias: string = table): RawBuilder<boolean> {
  const rule = tenancyRules[table]
  if (rule.by === 'none') throw new Error(`${table} has no tenancy: ${rule.because}`)
  if (rule.by === 'device') {
    if (isUnlimited(reach)) return always
    return sql<boolean>`exists (select 1 from devices where devices.id = ${sql.ref(`${alias}.${rule.device}`)} and ${withinReach(reach, 'devices')})`
  }
  const parts = [
    ...withinOrgs(reach.orgs, sql.ref(`${alias}.${rule.org}`)),
    ...withinPartner(reach.orgs, alias, rule),
    ...(rule.site ? withinSites(reach.sites, sql.ref(`${alias}.${rule.site}`), rule.isSeenWithoutSite) : []),
    ...withinGroups(reach.groups, alias, rule),
  ]
  if (parts.length === 0) return always
  return sql<boolean>`(${sql.join(parts, sql` and `)})`
}

const isUnlimited = ({ orgs, sites, groups }: Reach) =>
  orgs.of === 'all-but' && orgs.ids.size === 0 && !orgs.within && sites === null && groups === null

function withinOrgs({ of, ids }: OrgReach, column: RawBuilder<unknown>) {
  if (of === 'only') return [sql`${column} in ${listOf(ids)}`]
  return ids.size === 0 ? [] : [sql`${column} not in ${listOf(ids)}`]
}

function withinPartner(orgs: OrgReach, alias: string, rule: Extract<Rule, { by: 'organization' }>) {
  if (!rule.partner) return isOwnedWithin(orgs, sql.ref(`${alias}.${rule.org}`))
  return orgs.within ? [sql`${sql.ref(`${alias}.${rule.partner}`)} = ${orgs.within.partnerId}`] : []
}

/** Row by row, by their keys: a list of the partner's organizations would be made anew for every page. */
const isOwnedWithin = ({ within }: OrgReach, org: RawBuilder<unknown>) =>
  within
    ? [
        sql`exists (select 1 from organizations as owner where owner.id = ${org} and owner.partner_id = ${within.partnerId})`,
      ]
    : []

/** For a table whose rows are of an organization or of something else: the organization in `column` is within reach. */
export function isOrgWithin(orgs: OrgReach, column: RawBuilder<unknown>): RawBuilder<boolean> {
  const parts = [...withinOrgs(orgs, column), ...isOwnedWithin(orgs, column)]
  return parts.length === 0 ? always : sql<boolean>`(${sql.join(parts, sql` and `)})`
}

function withinSites(sites: Reach['sites'], column: RawBuilder<unknown>, isSeenWithoutSite = false) {
  if (sites === null) return []
  const inSites = sql`${column} in ${listOf(sites)}`
  return [isSeenWithoutSite ? sql`(${column} is null or ${inSites})` : inSites]
}

function withinGroups(groups: Reach['groups'], alias: string, rule: Extract<Rule, { by: 'organization' }>) {
  if (groups === null) return []
  if (rule.isOfNoGroup) return [sql`0`]
  if (rule.group) return [sql`${sql.ref(`${alias}.${rule.group}`)} in ${listOf(groups)}`]
  if (!rule.device) return []
  return [
    sql`${sql.ref(`${alias}.${rule.device}`)} in (select device_id from device_group_members where group_id in ${listOf(groups)})`,
  ]
}
