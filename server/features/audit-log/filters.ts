import { type RawBuilder, sql } from 'kysely'
import type { AuditResult } from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { contains } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { reachesEvent, type UserActor } from '../../platform/actor.ts'
import { type EventTraits, findTraits } from './event-rows.ts'
import { isByAnyone } from './folded-entries.ts'
import { type IndexRange, visibleRanges } from './visibility.ts'

export interface Filters {
  user?: string | undefined
  action?: string | undefined
  resource?: string | undefined
  result?: AuditResult | undefined
  /** Anywhere in an event. */
  q?: string | undefined
  /** Both included; as timestamps are stored. */
  from?: string | undefined
  to?: string | undefined
  orgId?: string | undefined
  excludeActions?: readonly string[] | undefined
  userId?: string | undefined
  /** The newest event of an entry. */
  foldedWith?: string | undefined
}

/** A search: the parts of the log to scan, and the condition on each event there; null where all of them match. */
export interface EventQuery {
  ranges: IndexRange[]
  match: RawBuilder<boolean> | null
}

/**
 * The search for the events that match the filters, among those the actor may see.
 * @throws AppError `org_access_denied` for an organization out of reach
 */
export function eventQuery(db: Database, actor: UserActor, filters: Filters): EventQuery {
  const { from, to } = filters
  const bounds = [
    ...(from === undefined ? [] : [sql<boolean>`timestamp >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`timestamp <= ${to}`]),
  ]
  const conditions = conditionsOf(db, actor, filters)
  return {
    ranges: visibleRanges(actor, filters.orgId).map(({ index, where }) => ({
      index,
      where: allOf([where, ...bounds]),
    })),
    match: conditions.length === 0 ? null : allOf(conditions),
  }
}

function conditionsOf(db: Database, actor: UserActor, filters: Filters) {
  const { user, action, resource, result, q, userId, foldedWith, excludeActions = [] } = filters
  return [
    ...(user ? [sql<boolean>`(${has('actor_email', user)} or actor_id in ${actorsNamed(db, user)})`] : []),
    ...(action ? [has('action', action)] : []),
    ...(resource
      ? [
          sql<boolean>`(${hasIn(['resource_type', 'resource_name'], resource)} or resource_id = ${resource}
            or resource_id in ${targetsNamed(db, actor, resource)})`,
        ]
      : []),
    ...(result ? [sql<boolean>`result = ${result}`] : []),
    ...(q ? [hasIn(searchedColumns, q)] : []),
    ...(userId ? [sql<boolean>`actor_id = ${userId}`] : []),
    ...(foldedWith ? [isFoldedWith(actor, findTraits(db, foldedWith))] : []),
    ...(excludeActions.length > 0 ? [sql<boolean>`action not in ${listOf(excludeActions)}`] : []),
  ]
}

/** The conditions are those of `foldKey`. */
function isFoldedWith(actor: UserActor, event: EventTraits | undefined): RawBuilder<boolean> {
  if (!event || !reachesEvent(actor, event)) return sql`0`
  const { import_id, action, resource_type, resource_id, resource_name, org_id, result } = event
  if (import_id) return sql`(details ->> 'importId' = ${import_id} and actor_id = ${event.actor_id})`
  const isSame = sql<boolean>`(action = ${action} and resource_type = ${resource_type} and resource_id is ${resource_id}
    and org_id is ${org_id} and result = ${result} and details ->> 'importId' is null)`
  const { actor_type, actor_id, actor_email } = event
  return allOf([
    isSame,
    ...(resource_id === null ? [sql<boolean>`resource_name is ${resource_name}`] : []),
    ...(isByAnyone(action)
      ? []
      : [sql<boolean>`actor_type = ${actor_type} and actor_id = ${actor_id} and actor_email is ${actor_email}`]),
  ])
}

const searchedColumns = ['action', 'actor_email', 'resource_type', 'resource_name', 'details', 'ip_address']

const has = (column: string, text: string) => contains(sql.ref(column), text)
const hasIn = (columns: string[], text: string) =>
  sql<boolean>`(${sql.join(
    columns.map((column) => has(column, text)),
    sql` or `,
  )})`
const listOf = (values: readonly string[]) => sql`(select value from json_each(${JSON.stringify(values)}))`
const allOf = (conditions: RawBuilder<boolean>[]) => sql<boolean>`${sql.join(conditions, sql` and `)}`

/** Ids, and not a subquery: a cached total must become invalid when somebody is renamed. */
const actorsNamed = (db: Database, name: string) =>
  listOf(db.all(usersNamed(name).unionAll(keysNamed(name))).map(({ id }) => id))

/**
 * Devices and organizations in reach with exactly this name: events from before they were renamed carry another one.
 * Ids for the same reason as above.
 */
const targetsNamed = (db: Database, actor: UserActor, name: string) =>
  listOf(
    db
      .all(
        devicesCalled(actor, 'hostname', name)
          .unionAll(devicesCalled(actor, 'display_name', name))
          .unionAll(organizationsCalled(actor, name)),
      )
      .map(({ id }) => id),
  )

/** Looked up in the index of the names. */
const isCalled = (column: string, name: string) => sql<boolean>`${sql.ref(column)} = ${name} collate nocase`
const devicesCalled = (actor: UserActor, column: 'hostname' | 'display_name', name: string) =>
  q.selectFrom('devices').select('id').where(isCalled(column, name)).where(withinReach(actor, 'devices'))
const organizationsCalled = (actor: UserActor, name: string) =>
  q.selectFrom('organizations').select('id').where(isCalled('name', name)).where(withinReach(actor, 'organizations'))

const usersNamed = (name: string) => q.selectFrom('users').select('id').where(has('name', name))
/** By the name of a key, or by the name that views of events give it. */
const keysNamed = (name: string) =>
  q
    .selectFrom('api_keys')
    .select('id')
    .where(sql<boolean>`${has('name', name)} or ${contains(sql`'API Key ' || substr(id, 1, 8)`, name)}`)
