import { type RawBuilder, sql } from 'kysely'
import { type OrgReach, onlyOrgs } from '../../db/reach.ts'
import { isOrgWithin } from '../../db/tenancy.ts'
import { reachesOrg, type UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'

/** A part of the log that one index has in order, newest first. */
export interface IndexRange {
  index: string
  where: RawBuilder<boolean>
}

const ofOrg = (orgId: string | null): IndexRange => ({ index: 'audit_logs_org', where: sql`org_id = ${orgId}` })

/** Up to this number of organizations, each is searched by itself. */
const maxOrgRanges = 20

/**
 * The parts of the log that the actor may see, or those of one organization.
 * @throws AppError `org_access_denied` when that one is out of reach
 */
export function visibleRanges(actor: UserActor, orgId?: string): IndexRange[] {
  if (orgId !== undefined) {
    if (!reachesOrg(actor, orgId) && !sawDeletedOrg(actor, orgId)) throw new AppError('org_access_denied')
    return [ofOrg(orgId)]
  }
  if (actor.scope === 'organization') return [ofOrg(actor.orgId)]
  if (actor.scope === 'system') return [{ index: 'audit_logs_timestamp', where: sql`1` }]
  const { partnerId } = actor
  const orgs = rememberedOrgs(actor.orgs)
  if (orgs.of === 'only' && orgs.ids.size <= maxOrgRanges)
    return [
      { index: 'audit_logs_partner_own', where: sql`partner_id = ${partnerId} and org_id is null` },
      ...[...orgs.ids].map(ofOrg),
    ]
  const within = isOrgWithin(orgs, sql.ref('org_id'))
  return [
    { index: 'audit_logs_partner_newest', where: sql`partner_id = ${partnerId} and (org_id is null or ${within})` },
    // Older versions did not store the partner in events of an organization.
    { index: 'audit_logs_partner_newest', where: sql`partner_id is null and ${isOwnedBy(partnerId)} and ${within}` },
  ]
}

/** Predicate for the `where` of a query on events or chains: those the actor may see. */
export function isVisibleTo(actor: UserActor): RawBuilder<boolean> {
  if (actor.scope === 'system') return sql`1`
  if (actor.scope === 'organization') return sql`org_id = ${actor.orgId}`
  const within = isOrgWithin(rememberedOrgs(actor.orgs), sql.ref('org_id'))
  const ofPartner = sql`case when partner_id is null then ${isOwnedBy(actor.partnerId)} else partner_id = ${actor.partnerId} end`
  return sql`((org_id is null or ${within}) and ${ofPartner})`
}

const sawDeletedOrg = ({ scope, orgs }: UserActor, orgId: string): boolean =>
  scope !== 'organization' && orgs.deleted?.has(orgId) === true

/**
 * The organizations whose events are shown: those in reach, and deleted ones that were in reach. Which partner an
 * organization belonged to is stored in the events: of an erased organization there is no other record.
 */
function rememberedOrgs({ of, ids, deleted = new Set<string>() }: OrgReach): OrgReach {
  return of === 'all-but'
    ? { of, ids: new Set([...ids].filter((id) => !deleted.has(id))) }
    : onlyOrgs([...ids, ...deleted])
}

const isOwnedBy = (partnerId: string | null) =>
  sql`exists (select 1 from organizations where organizations.id = org_id and organizations.partner_id = ${partnerId})`
