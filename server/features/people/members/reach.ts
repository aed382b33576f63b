import type { assignRole } from '../../../../shared/api/people.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { fieldError } from '../../../platform/errors.ts'
import { assertWithinOwnReach, idsIn } from '../../access/roles/powers.ts'
import type { TenantMembership } from '../../access/users/store.ts'
import type { Tenant } from '../tenants/tenant-of-call.ts'

type Wanted = Pick<BodyOf<typeof assignRole>, 'orgAccess' | 'orgIds' | 'siteIds' | 'deviceGroupIds'>
type PartnerReach = Pick<Extract<TenantMembership, { kind: 'partner' }>, 'org_access' | 'org_ids'>
type OrganizationReach = Pick<Extract<TenantMembership, { kind: 'organization' }>, 'site_ids' | 'device_group_ids'>

/** What members of a partner get to see, as columns; what is left out stays as it is. */
export function partnerReach(
  db: Database,
  { partnerId }: Tenant,
  { orgAccess, orgIds, siteIds, deviceGroupIds }: Wanted,
  present: PartnerReach = { org_access: 'none', org_ids: null },
): PartnerReach {
  refuse({ siteIds, deviceGroupIds }, 'Only members of an organization are confined to sites or groups')
  const isSelection = orgIds !== undefined && orgIds.length > 0
  if (isSelection !== (orgAccess === 'selected'))
    throw fieldError('orgIds', 'Name organizations with orgAccess "selected", and only with it')
  if (orgAccess === undefined) return { org_access: present.org_access, org_ids: present.org_ids }
  const isTheirs = 'FROM organizations WHERE partner_id = ? AND deleted_at IS NULL'
  return { org_access: orgAccess, org_ids: listOf(db, 'orgIds', isSelection ? orgIds : null, isTheirs, partnerId) }
}

/** The same for members of an organization; nobody gives more than they have. */
export function organizationReach(
  db: Database,
  actor: UserActor,
  { orgId }: Extract<Tenant, { kind: 'organization' }>,
  { siteIds, deviceGroupIds, orgAccess, orgIds }: Wanted,
  present: OrganizationReach = { site_ids: null, device_group_ids: null },
): OrganizationReach {
  refuse({ orgAccess, orgIds }, 'Only members of a partner are given organizations')
  // In no group at all is nothing anybody could mean.
  const groups = deviceGroupIds?.length === 0 ? null : deviceGroupIds
  const site_ids =
    siteIds === undefined ? present.site_ids : listOf(db, 'siteIds', siteIds, 'FROM sites WHERE org_id = ?', orgId)
  const device_group_ids =
    groups === undefined
      ? present.device_group_ids
      : listOf(db, 'deviceGroupIds', groups, 'FROM device_groups WHERE org_id = ?', orgId)
  assertWithinOwnReach(actor, { siteIds: idsIn(site_ids), deviceGroupIds: idsIn(device_group_ids) })
  return { site_ids, device_group_ids }
}

/** The same in the words of the contract. */
export const reachIn = (membership: TenantMembership) =>
  membership.kind === 'partner'
    ? { orgAccess: membership.org_access, orgIds: idsIn(membership.org_ids) }
    : { siteIds: idsIn(membership.site_ids), deviceGroupIds: idsIn(membership.device_group_ids) }

/** The same as an event tells it to people, who know nothing by its id. */
export function toldReach(db: Database, membership: TenantMembership) {
  const reach = reachIn(membership)
  if (reach.orgAccess !== undefined) {
    const all = reach.orgAccess === 'all' ? null : []
    return { ...reach, orgNames: namesOf(db, 'organizations', reach.orgIds ?? all) }
  }
  const { siteIds, deviceGroupIds } = reach
  return {
    ...reach,
    siteNames: namesOf(db, 'sites', siteIds),
    deviceGroupNames: namesOf(db, 'device_groups', deviceGroupIds),
  }
}

function namesOf(db: Database, table: 'organizations' | 'sites' | 'device_groups', ids: string[] | null): string[] {
  if (ids === null) return ['All']
  if (ids.length === 0) return ['None']
  const named = db.statement(`SELECT name FROM ${table} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY name`)
  return named.pluck().all(JSON.stringify(ids)) as string[]
}

/** Once each, as it is stored; 400 for one that is not there. */
function listOf(
  db: Database,
  field: string,
  wanted: string[] | null | undefined,
  there: string,
  owner: string,
): string | null {
  if (!wanted) return null
  const list = JSON.stringify([...new Set(wanted)])
  const missing = db
    .statement(`SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id ${there}) LIMIT 1`)
    .pluck()
    .get(list, owner)
  if (missing !== undefined) throw fieldError(field, `There is no ${String(missing)} here`)
  return list
}

function refuse(fields: Wanted, message: string): void {
  const [field] = Object.entries(fields).find(([, value]) => value !== undefined) ?? []
  if (field) throw fieldError(field, message)
}
