import { type RawBuilder, sql } from 'kysely'

/** What the status of an organization means to everybody else. */

/** Gone from lists, search and everything below it; may still be read by id. */
const hiddenStatuses = ['archived', 'purging'] as const
/** Nobody may write to the organization or below it, except to leave the status. */
export const frozenStatuses = ['archived', 'merging', 'purging'] as const
/** Devices are managed; in any other status an organization is only looked at and edited. */
const operableStatuses = ['active', 'trial'] as const

type Status = string
const isOneOf =
  <S extends string>(statuses: readonly S[]) =>
  (status: Status): status is S =>
    statuses.some((one) => one === status)
export const isHidden = isOneOf(hiddenStatuses)
export const isFrozen = isOneOf(frozenStatuses)
export const isOperable = isOneOf(operableStatuses)

/** Word for word the condition of the index `organizations_hidden`, or SQLite reads the whole table. */
export const hiddenInSql = "(deleted_at IS NOT NULL OR status IN ('archived', 'purging'))"

/** For a `where`: the organization is neither deleted nor hidden. */
export const isShown = (alias = 'organizations'): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${alias}.deleted_at`)} is null and ${sql.ref(`${alias}.status`)} not in (${sql.join(hiddenStatuses.map((status) => sql.lit(status)))}))`
