import { type RawBuilder, sql } from 'kysely'
import type { ErrorCode } from '../../../shared/errors/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { isOrgWithin } from '../../db/tenancy.ts'
import { isConfined, type UserActor } from '../../platform/actor.ts'
import { actingPartnerId } from '../../platform/actor-tenant.ts'
import { AppError } from '../../platform/errors.ts'
import type { TableName } from '../../tables.ts'
import { resolveOrganization } from './organization-of-call.ts'
import { operableOrganization } from './writable.ts'

/*
 * Rows that belong to an organization or to a partner. Those of a partner apply to all its organizations; its own people
 * see them, and those with access to all organizations change them. Those of an organization are about all of it:
 * somebody confined to sites or groups has no part in them.
 */

/** One of them is null. */
export interface Owner {
  org_id: string | null
  partner_id: string | null
}

/**
 * The owner of a row to be made, asked inside the transaction that makes it. A partner is always that of the session.
 * @throws AppError `unclear`, by default 400, when no organization is meant; `denied`, by default 403, when it is out of
 * reach
 */
export function ownerToBe(
  db: Database,
  actor: UserActor,
  { ownerScope, orgId }: { ownerScope?: 'organization' | 'partner' | undefined; orgId?: string | undefined },
  { unclear, denied = 'org_access_denied' }: { unclear?: ErrorCode; denied?: ErrorCode } = {},
): Owner {
  if (ownerScope === 'partner') {
    assertWholePartner(actor)
    return { org_id: null, partner_id: actingPartnerId(actor) }
  }
  const org = operableOrganization(db, actor, resolveOrganization(db, actor, orgId, unclear), denied)
  assertWholeOrganization(actor)
  return { org_id: org.id, partner_id: null }
}

/** @throws AppError `missing` where the actor cannot see the row; 403 or 409 where it may not be changed */
export function assertOwnerWritable(db: Database, actor: UserActor, owner: Owner, missing: ErrorCode): void {
  if (owner.org_id !== null) {
    operableOrganization(db, actor, owner.org_id, missing)
    assertWholeOrganization(actor)
    return
  }
  if (!isOfActorsPartner(actor, owner)) throw new AppError(missing)
  assertWholePartner(actor)
}

/** Predicate for the `where` of a query on such a table. */
export function isOwnerSeen(actor: UserActor, table: TableName): RawBuilder<boolean> {
  if (isConfined(actor)) return sql<boolean>`0`
  const [org, partner] = [sql.ref(`${table}.org_id`), sql.ref(`${table}.partner_id`)]
  const ofOrganizations = sql<boolean>`(${org} is not null and ${isOrgWithin(actor.orgs, org)})`
  if (actor.scope === 'organization') return ofOrganizations
  const ofPartner = actor.scope === 'system' ? sql`${partner} is not null` : sql`${partner} = ${actor.partnerId}`
  return sql<boolean>`(${ofOrganizations} or ${ofPartner})`
}

/** Predicate: the row belongs to the organization or to its partner. */
export function isOwnerAbove(orgId: string, table: TableName): RawBuilder<boolean> {
  const [org, partner] = [sql.ref(`${table}.org_id`), sql.ref(`${table}.partner_id`)]
  return sql<boolean>`(${org} = ${orgId} or ${partner} = (select above.partner_id from organizations as above where above.id = ${orgId}))`
}

/** The partner of an owner, which for an organization is the one above it. */
export const partnerOfOwner = (db: Database, { org_id, partner_id }: Owner): string | null =>
  org_id === null
    ? partner_id
    : db.one(q.selectFrom('organizations').select('partner_id').where('id', '=', org_id)).partner_id

const isOfActorsPartner = ({ scope, partnerId }: UserActor, { partner_id }: Owner): boolean =>
  scope === 'system' || (scope === 'partner' && partner_id === partnerId)

function assertWholePartner({ scope, orgAccess }: UserActor): void {
  if (scope === 'organization' || orgAccess !== 'all') throw new AppError('partner_policy_access_required')
}

function assertWholeOrganization(actor: UserActor): void {
  if (isConfined(actor)) throw new AppError('permission_denied')
}
