import { type RawBuilder, sql } from 'kysely'
import type { AuditResult } from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { contains } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Range, rangesOf } from './sight.ts'

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
}

/** What somebody looks for: where it lies, and what each event there has to match; null for nothing. */
export interface Wanted {
  ranges: Range[]
  match: RawBuilder<boolean> | null
}

/** @throws AppError `org_access_denied` for an organization out of reach */
export function wantedOf(db: Database, actor: UserActor, filters: Filters): Wanted {
  const { from, to } = filters
  const bounds = [
    ...(from === undefined ? [] : [sql<boolean>`timestamp >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`timestamp <= ${to}`]),
  ]
  const conditions = conditionsOf(db, filters)
  return {
    ranges: rangesOf(actor, filters.orgId).map(({ index, where }) => ({ index, where: allOf([where, ...bounds]) })),
    match: conditions.length === 0 ? null : allOf(conditions),
  }
}

function conditionsOf(db: Database, { user, action, resource, result, q, userId, excludeActions = [] }: Filters) {
  return [
    ...(user ? [sql<boolean>`(${has('actor_email', user)} or actor_id in ${namesakes(db, user)})`] : []),
    ...(action ? [has('action', action)] : []),
    ...(resource
      ? [sql<boolean>`(${hasIn(['resource_type', 'resource_name'], resource)} or resource_id = ${resource})`]
      : []),
    ...(result ? [sql<boolean>`result = ${result}`] : []),
    ...(q ? [hasIn(searched, q)] : []),
    ...(userId ? [sql<boolean>`actor_id = ${userId}`] : []),
    ...(excludeActions.length > 0 ? [sql<boolean>`action not in ${listOf(excludeActions)}`] : []),
  ]
}

const searched = ['action', 'actor_email', 'resource_type', 'resource_name', 'details', 'ip_address']

const has = (column: string, text: string) => contains(sql.ref(column), text)
const hasIn = (columns: string[], text: string) =>
  sql<boolean>`(${sql.join(
    columns.map((column) => has(column, text)),
    sql` or `,
  )})`
const listOf = (values: readonly string[]) => sql`(select value from json_each(${JSON.stringify(values)}))`
const allOf = (conditions: RawBuilder<boolean>[]) => sql<boolean>`${sql.join(conditions, sql` and `)}`

/** Looked up beforehand: a total that is remembered must not outlive a name. */
const namesakes = (db: Database, name: string) =>
  listOf(db.all(peopleCalled(name).unionAll(keysCalled(name))).map(({ id }) => id))

const peopleCalled = (name: string) => q.selectFrom('users').select('id').where(has('name', name))
/** By the name of a key, or by what events call it. */
const keysCalled = (name: string) =>
  q
    .selectFrom('api_keys')
    .select('id')
    .where(sql<boolean>`${has('name', name)} or ${contains(sql`'API Key ' || substr(id, 1, 8)`, name)}`)
