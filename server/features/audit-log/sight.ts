import { type RawBuilder, sql } from 'kysely'
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
 * The events somebody may see (reference/auth-and-users.md §18), or those of one organization.
 * @throws AppError `org_access_denied` when that one is out of reach
 */
export function rangesOf(actor: UserActor, orgId?: string): Range[] {
  if (orgId !== undefined) {
    if (!reachesOrg(actor, orgId)) throw new AppError('org_access_denied')
    return [ofOrg(orgId)]
  }
  if (actor.scope === 'organization') return [ofOrg(actor.orgId)]
  if (actor.scope === 'system') return [{ index: 'audit_logs_timestamp', where: sql`1` }]
  const { orgs, partnerId } = actor
  if (orgs.of === 'only' && orgs.ids.size <= fewOrgs)
    return [
      { index: 'audit_logs_partner_own', where: sql`partner_id = ${partnerId} and org_id is null` },
      ...[...orgs.ids].map(ofOrg),
    ]
  const within = isOrgWithin(orgs, sql.ref('org_id'))
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
  const within = isOrgWithin(actor.orgs, sql.ref('org_id'))
  const ofPartner = sql`case when partner_id is null then ${isOwnedBy(actor.partnerId)} else partner_id = ${actor.partnerId} end`
  return sql`((org_id is null or ${within}) and ${ofPartner})`
}

const isOwnedBy = (partnerId: string | null) =>
  sql`exists (select 1 from organizations where organizations.id = org_id and organizations.partner_id = ${partnerId})`
