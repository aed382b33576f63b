import { allPermissions, type Grant, grantAllows } from '../../../../shared/permissions.ts'
import type { Database } from '../../../db/database.ts'
import { fromJson, type JsonText } from '../../../lib/json.ts'
import type { Identity } from '../../../platform/actor.ts'
import { parseIdList } from '../memberships/confinement.ts'
import { type Membership, membershipIdOf, type TenantMembership } from '../memberships/membership.ts'
import { findGrants } from '../roles/store.ts'
import { OrganizationReaches } from './organization-reach.ts'

/** What a membership lets its holder see and do, as an actor carries it. */
export type MembershipIdentity = Pick<
  Identity,
  | 'membershipId'
  | 'scope'
  | 'partnerId'
  | 'orgId'
  | 'roleId'
  | 'orgAccess'
  | 'orgs'
  | 'sites'
  | 'groups'
  | 'grants'
  | 'permissions'
>
type TenantReach = Omit<MembershipIdentity, 'membershipId' | 'grants' | 'permissions'>

const systemGrants: readonly Grant[] = [{ resource: '*', action: '*' }]

export class MembershipIdentities {
  readonly #db: Database
  readonly #reaches: OrganizationReaches

  constructor(db: Database) {
    this.#db = db
    this.#reaches = new OrganizationReaches(db)
  }

  of(membership: Membership): MembershipIdentity {
    const grants = membership.kind === 'system' ? systemGrants : findGrants(this.#db, membership.role_id)
    return {
      membershipId: membershipIdOf(membership),
      ...this.#reachOf(membership),
      grants,
      permissions: new Set(
        allPermissions.filter((permission) => grants.some((grant) => grantAllows(grant, permission))),
      ),
    }
  }

  #reachOf(membership: Membership): TenantReach {
    switch (membership.kind) {
      case 'system':
        return {
          scope: 'system',
          partnerId: null,
          orgId: null,
          roleId: null,
          orgAccess: 'all',
          orgs: this.#reaches.ofSystem(),
          sites: null,
          groups: null,
        }
      case 'partner':
        return {
          scope: 'partner',
          partnerId: membership.partner_id,
          orgId: null,
          roleId: membership.role_id,
          orgAccess: membership.org_access,
          orgs: this.#orgsOf(membership),
          sites: null,
          groups: null,
        }
      case 'organization':
        return {
          scope: 'organization',
          partnerId: membership.partner_id,
          orgId: membership.org_id,
          roleId: membership.role_id,
          orgAccess: 'selected',
          orgs: this.#reaches.selected(membership.partner_id, [membership.org_id]),
          sites: idSetIn(membership.site_ids),
          groups: idSetIn(membership.device_group_ids),
        }
    }
  }

  #orgsOf(membership: Extract<TenantMembership, { kind: 'partner' }>) {
    if (membership.org_access === 'all') return this.#reaches.ofPartner(membership.partner_id)
    const ids = membership.org_access === 'selected' ? parseIdList(membership.org_ids) : null
    return this.#reaches.selected(membership.partner_id, ids ?? [])
  }
}

const idSetIn = (list: JsonText<string[]> | null) => (list === null ? null : new Set(fromJson(list)))
