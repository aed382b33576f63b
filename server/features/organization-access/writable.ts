import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { frozenStatuses, isFrozen, isOperable } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { Tables } from '../../tables.ts'

/*
 * Whether an actor may write to an organization or below it, asked inside the transaction of the write. The reach of an
 * actor leaves out archived organizations and those being purged. A member of such an organization is answered that it is
 * frozen, everybody else that it does not exist.
 */

export type OrganizationRow = Selectable<Tables['organizations']>

const frozenReason = {
  archived: 'The organization is archived; restore it first',
  merging: 'A merge of this organization is in progress',
  purging: 'The organization is being purged; it can no longer be restored',
}

/** @throws AppError `missing` when the actor cannot see the organization, `ORG_LIFECYCLE_FROZEN` when it is frozen */
export function writableOrganization(
  db: Database,
  actor: UserActor,
  orgId: string,
  missing: ErrorCode = 'organization_not_found',
): OrganizationRow {
  const org = grantedOrganization(db, actor, orgId)
  if (!org) throw new AppError(missing)
  assertNotFrozen(org)
  if (isMergeTarget(db, orgId, ['moving', 'undoing'])) throw mergeTargetError(org)
  if (!reachesOrg(actor, orgId)) throw new AppError(missing)
  return org
}

/**
 * As `writableOrganization`, for writes that need an organization in normal operation.
 * @throws AppError also `ORG_NOT_OPERABLE`
 */
export function operableOrganization(
  db: Database,
  actor: UserActor,
  orgId: string,
  missing: ErrorCode = 'organization_not_found',
): OrganizationRow {
  const org = writableOrganization(db, actor, orgId, missing)
  if (!isOperable(org.status)) throw new AppError('ORG_NOT_OPERABLE', { currentStatus: org.status })
  return org
}

/** The organization if the actor's membership includes it, whatever its status; null if not, or if it is deleted. */
export function grantedOrganization(db: Database, actor: UserActor, orgId: string): OrganizationRow | null {
  const granted = q.selectFrom('organizations').selectAll().where('id', '=', orgId).where(isGrantedTo(actor))
  return db.first(granted.where('deleted_at', 'is', null)) ?? null
}

export function assertNotFrozen(org: Pick<OrganizationRow, 'status'>): void {
  const frozen = frozenStatuses.find((status) => status === org.status)
  if (frozen) throw new AppError('ORG_LIFECYCLE_FROZEN', { error: frozenReason[frozen], currentStatus: frozen })
}

/**
 * Until a merge into it is over, an organization cannot be archived, merged away or deleted.
 * @throws AppError `ORG_LIFECYCLE_FROZEN`
 */
export function assertNoMergeInto(db: Database, org: Pick<OrganizationRow, 'id' | 'status'>): void {
  if (isMergeTarget(db, org.id)) throw mergeTargetError(org)
}

/** Why nothing may be written to the organization or below it now, as the end of a sentence; null when it may. */
export function frozenBecause(db: Database, org: Pick<OrganizationRow, 'id' | 'status'>): string | null {
  if (isFrozen(org.status)) return `it is ${org.status}`
  return isMergeTarget(db, org.id, ['moving', 'undoing']) ? 'another one is being merged into it' : null
}

const mergeTargetError = ({ status }: Pick<OrganizationRow, 'status'>) =>
  new AppError('ORG_LIFECYCLE_FROZEN', {
    error: 'Another organization is being merged into this one; try again when that is done',
    currentStatus: status,
  })

/** Whether a merge into the organization is open, in one of these phases if given. A merge that fails moves rows back. */
function isMergeTarget(db: Database, orgId: string, phases?: readonly string[]): boolean {
  const merge = db
    .statement<string | null>(
      `SELECT progress ->> 'phase' FROM tasks INDEXED BY tasks_open
       WHERE finished_at IS NULL AND kind = 'organization.merge' AND input ->> 'survivorId' = +?`,
    )
    .pluck()
    .all(orgId)
  return merge.some((phase) => !phases || phases.includes(phase ?? ''))
}

/** Whether the actor's membership includes the organization, whatever its status, deleted or not. */
export const isGranted = (db: Database, actor: UserActor, { id }: Pick<OrganizationRow, 'id'>): boolean =>
  db.first(q.selectFrom('organizations').select('id').where('id', '=', id).where(isGrantedTo(actor))) !== undefined

/** `isGranted` as a predicate for the `where` of a query on organizations. */
export function isGrantedTo(actor: UserActor): RawBuilder<boolean> {
  if (actor.scope === 'system') return sql`1`
  if (actor.scope === 'organization') return sql`organizations.id = ${actor.orgId}`
  const ofPartner = sql<boolean>`organizations.partner_id = ${actor.partnerId}`
  if (actor.orgAccess === 'all') return ofPartner
  // With a constant in its place SQLite refuses `INDEXED BY`.
  if (actor.orgAccess === 'none') return sql`organizations.id = ''`
  return sql`(${ofPartner} and organizations.id in (
    select value from partner_users, json_each(org_ids)
    where partner_users.partner_id = ${actor.partnerId} and user_id = ${actor.userId}))`
}

/** Predicate for the `where` of a write to organizations. */
export const isNotFrozen = (): RawBuilder<boolean> =>
  sql`organizations.status not in (${sql.join(frozenStatuses.map((status) => sql.lit(status)))})`
