import type { assignRole } from '../../../../shared/api/people.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { type JsonText, toJson } from '../../../lib/json.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { fieldError } from '../../../platform/errors.ts'
import { assertWithinOwnReach, parseIdList, type TenantMembership } from '../../access/index.ts'
import type { Tenant } from '../tenants/tenant-of-call.ts'

type ReachUpdate = Pick<BodyOf<typeof assignRole>, 'orgAccess' | 'orgIds' | 'siteIds' | 'deviceGroupIds'>
type PartnerReach = Pick<Extract<TenantMembership, { kind: 'partner' }>, 'org_access' | 'org_ids'>
type OrganizationReach = Pick<Extract<TenantMembership, { kind: 'organization' }>, 'site_ids' | 'device_group_ids'>

/** Which organizations a member of a partner may see, as columns; fields that are left out keep the present values. */
export function partnerReach(
  db: Database,
  { partnerId }: Tenant,
  { orgAccess, orgIds, siteIds, deviceGroupIds }: ReachUpdate,
  present: PartnerReach = { org_access: 'none', org_ids: null },
): PartnerReach {
  refuse({ siteIds, deviceGroupIds }, 'Only members of an organization are confined to sites or groups')
  const isSelection = orgIds !== undefined && orgIds.length > 0
  if (isSelection !== (orgAccess === 'selected'))
    throw fieldError('orgIds', 'Name organizations with orgAccess "selected", and only with it')
  if (orgAccess === undefined) return { org_access: present.org_access, org_ids: present.org_ids }
  const theirs = 'FROM organizations WHERE partner_id = ? AND deleted_at IS NULL'
  return { org_access: orgAccess, org_ids: listOf(db, 'orgIds', isSelection ? orgIds : null, theirs, partnerId) }
}

/**
 * What a member of an organization is confined to, as columns.
 * @throws AppError `reach_wider_than_own`
 */
export function organizationReach(
  db: Database,
  actor: UserActor,
  { orgId }: Extract<Tenant, { kind: 'organization' }>,
  { siteIds, deviceGroupIds, orgAccess, orgIds }: ReachUpdate,
  present: OrganizationReach = { site_ids: null, device_group_ids: null },
): OrganizationReach {
  refuse({ orgAccess, orgIds }, 'Only members of a partner are given organizations')
  // Confinement to an empty list of groups makes no sense, so it counts as none.
  const groups = deviceGroupIds?.length === 0 ? null : deviceGroupIds
  const site_ids =
    siteIds === undefined ? present.site_ids : listOf(db, 'siteIds', siteIds, 'FROM sites WHERE org_id = ?', orgId)
  const device_group_ids =
    groups === undefined
      ? present.device_group_ids
      : listOf(db, 'deviceGroupIds', groups, 'FROM device_groups WHERE org_id = ?', orgId)
  assertWithinOwnReach(actor, { siteIds: parseIdList(site_ids), deviceGroupIds: parseIdList(device_group_ids) })
  return { site_ids, device_group_ids }
}

/** The reach of a membership, with the names of the contract. */
export const reachView = (membership: TenantMembership) =>
  membership.kind === 'partner'
    ? { orgAccess: membership.org_access, orgIds: parseIdList(membership.org_ids) }
    : { siteIds: parseIdList(membership.site_ids), deviceGroupIds: parseIdList(membership.device_group_ids) }

/** The reach of a membership with names beside the ids, for audit events. */
export function namedReach(db: Database, membership: TenantMembership) {
  const reach = reachView(membership)
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
  const named = db.statement<string>(
    `SELECT name FROM ${table} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY name`,
  )
  return named.pluck().all(JSON.stringify(ids))
}

/**
 * A list of ids as it is stored, without duplicates.
 * @throws AppError `validation_failed` for an id that does not exist
 */
function listOf(
  db: Database,
  field: string,
  ids: string[] | null | undefined,
  source: string,
  ownerId: string,
): JsonText<string[]> | null {
  if (!ids) return null
  const list = toJson([...new Set(ids)])
  const missing = db
    .statement(`SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id ${source}) LIMIT 1`)
    .pluck()
    .get(list, ownerId)
  if (missing !== undefined) throw fieldError(field, `There is no ${String(missing)} here`)
  return list
}

function refuse(fields: ReachUpdate, message: string): void {
  const [field] = Object.entries(fields).find(([, value]) => value !== undefined) ?? []
  if (field) throw fieldError(field, message)
}
