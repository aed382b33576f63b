import { type RawBuilder, sql } from 'kysely'
import { type OrgReach, onlyOrgs } from '../../db/reach.ts'
import { isOrgWithin } from '../../db/tenancy.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'

/** Events that stand next to each other in an index, newest first. */
export interface Range {
  index: string
  where: RawBuilder<boolean>
}

const ofOrg = (orgId: string | null): Range => ({ index: 'audit_logs_org', where: sql`org_id = ${orgId}` })

/** Whoever looks after so few organizations finds their events one organization after the other. */
const fewOrgs = 20

/**
 * The events somebody may see, or those of one organization.
 * @throws AppError `org_access_denied` when that one is out of reach
 */
export function rangesOf(actor: UserActor, orgId?: string): Range[] {
  if (orgId !== undefined) {
    if (!reachesOrg(actor, orgId) && !isDeletedOneOf(actor, orgId)) throw new AppError('org_access_denied')
    return [ofOrg(orgId)]
  }
  if (actor.scope === 'organization') return [ofOrg(actor.orgId)]
  if (actor.scope === 'system') return [{ index: 'audit_logs_timestamp', where: sql`1` }]
  const { partnerId } = actor
  const told = toldOf(actor.orgs)
  if (told.of === 'only' && told.ids.size <= fewOrgs)
    return [
      { index: 'audit_logs_partner_own', where: sql`partner_id = ${partnerId} and org_id is null` },
      ...[...told.ids].map(ofOrg),
    ]
  const within = isOrgWithin(told, sql.ref('org_id'))
  return [
    { index: 'audit_logs_partner_newest', where: sql`partner_id = ${partnerId} and (org_id is null or ${within})` },
    // From before events of an organization named its partner.
    { index: 'audit_logs_partner_newest', where: sql`partner_id is null and ${isOwnedBy(partnerId)} and ${within}` },
  ]
}

/** The same for the `where` of a query on events or on chains of them. */
export function isInSight(actor: UserActor): RawBuilder<boolean> {
  if (actor.scope === 'system') return sql`1`
  if (actor.scope === 'organization') return sql`org_id = ${actor.orgId}`
  const within = isOrgWithin(toldOf(actor.orgs), sql.ref('org_id'))
  const ofPartner = sql`case when partner_id is null then ${isOwnedBy(actor.partnerId)} else partner_id = ${actor.partnerId} end`
  return sql`((org_id is null or ${within}) and ${ofPartner})`
}

const isDeletedOneOf = ({ scope, orgs }: UserActor, orgId: string): boolean =>
  scope !== 'organization' && orgs.deleted?.has(orgId) === true

/**
 * Of which organizations events are told: those that are seen, and deleted ones that were. Whose they are, the events say
 * themselves: of one whose row is gone, too, nothing else does.
 */
function toldOf({ of, ids, deleted = new Set<string>() }: OrgReach): OrgReach {
  return of === 'all-but'
    ? { of, ids: new Set([...ids].filter((id) => !deleted.has(id))) }
    : onlyOrgs([...ids, ...deleted])
}

const isOwnedBy = (partnerId: string | null) =>
  sql`exists (select 1 from organizations where organizations.id = org_id and organizations.partner_id = ${partnerId})`
