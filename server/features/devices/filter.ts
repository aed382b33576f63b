import type { listDevices } from '../../../shared/api/devices.ts'
import type { QueryOf } from '../../../shared/endpoint.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Condition } from './condition.ts'

export type ListQuery = QueryOf<typeof listDevices>
/** Which devices; how many of them a page has is left out. */
export type Filters = Omit<ListQuery, 'limit'>

const equals = (column: string, value: unknown): Condition[] =>
  value === undefined ? [] : [{ sql: `devices.${column} = +?`, parameters: [value] }]

/** One parameter however many ids, so that the statement stays the same. */
const isOneOf = (column: string, ids: readonly string[]): Condition[] =>
  ids.length === 0
    ? []
    : [{ sql: `devices.${column} IN (SELECT value FROM json_each(+?))`, parameters: [JSON.stringify(ids)] }]

/** In one of these groups, as far as the actor knows of them. */
function inGroups(actor: UserActor, ids: readonly string[]): Condition[] {
  if (ids.length === 0) return []
  const known = withinReach(actor, 'device_groups').compile(q)
  const groups = `SELECT id FROM device_groups WHERE id IN (SELECT value FROM json_each(+?)) AND ${known.sql}`
  return [
    {
      sql: `devices.id IN (SELECT device_id FROM device_group_members WHERE group_id IN (${groups}))`,
      parameters: [JSON.stringify(ids), ...known.parameters],
    },
  ]
}

export const orgIdsOf = ({ orgId, orgIds = [] }: Filters) => (orgId ? [...orgIds, orgId] : orgIds)
export const siteIdsOf = ({ siteId, siteIds = [] }: Filters) => (siteId ? [...siteIds, siteId] : siteIds)

const notDecommissioned: Condition = { sql: `devices.status <> 'decommissioned'`, parameters: [] }

/** The devices a list is about: those in the actor's reach that pass every filter, `search` not included. */
export function filterOf(actor: UserActor, filters: Filters): Condition[] {
  const wantsAnyStatus = filters.status === undefined && !filters.includeDecommissioned
  return [
    withinReach(actor, 'devices').compile(q),
    ...isOneOf('org_id', orgIdsOf(filters)),
    ...isOneOf('site_id', siteIdsOf(filters)),
    ...inGroups(actor, filters.groupIds ?? []),
    ...equals('status', filters.status),
    ...(wantsAnyStatus ? [notDecommissioned] : []),
    ...equals('os_type', filters.osType),
    ...equals('device_role', filters.role),
  ]
}
