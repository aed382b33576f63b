import type { GroupMember, listGroupDevices, previewGroupRule } from '../../../shared/api/device-groups.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { compare, compareCaseless } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Flag } from '../../db/table.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import { sortedInSteps } from '../../lib/sorting.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { AppError } from '../../platform/errors.ts'
import { grantedOrganization } from '../organization-access/index.ts'
import { makeDue } from './due-devices.ts'
import type { DynamicGroups } from './dynamic-groups.ts'
import { filterColumns } from './filter.ts'
import { assertFitting, assertGroupWriter, findGroupToRead, findGroupToWrite } from './group-access.ts'
import { manually } from './membership-log.ts'
import type { Memberships } from './memberships.ts'
import type { GroupRow } from './store.ts'

/** How many members are read in one step. */
const membersPerBatch = 500

interface MemberRow {
  id: string
  hostname: string
  display_name: string | null
  status: GroupMember['status']
  os_type: GroupMember['osType']
  is_pinned: Flag
  added_at: string
  added_by: GroupMember['addedBy']
}

const memberView = (row: MemberRow): GroupMember => ({
  deviceId: row.id,
  hostname: row.hostname,
  displayName: row.display_name,
  status: row.status,
  osType: row.os_type,
  isPinned: row.is_pinned === 1,
  addedAt: row.added_at,
  addedBy: row.added_by,
})

const byHostname = (a: GroupMember, b: GroupMember): number =>
  compareCaseless(a.hostname, b.hostname) || compare(a.deviceId, b.deviceId)

/** The devices of a group, put there by hand or kept there by a pin. */
export class GroupDevices {
  readonly #db: Database
  readonly #audit: Audit
  readonly #memberships: Memberships
  readonly #dynamic: DynamicGroups

  constructor(db: Database, audit: Audit, memberships: Memberships, dynamic: DynamicGroups) {
    this.#db = db
    this.#audit = audit
    this.#memberships = memberships
    this.#dynamic = dynamic
  }

  /** By host name. */
  *list(actor: UserActor, groupId: string): Steps<ReplyOf<typeof listGroupDevices>> {
    findGroupToRead(this.#db, actor, groupId)
    const members: GroupMember[] = []
    for (let last: string | undefined = ''; last !== undefined; ) {
      const rows = this.#membersAfter(actor, groupId, last)
      members.push(...rows.map(memberView))
      last = rows.length === membersPerBatch ? rows.at(-1)?.id : undefined
      yield
    }
    const data = yield* sortedInSteps(members, byHostname)
    return { data, total: data.length }
  }

  /** The next ones in the order of their ids. */
  #membersAfter(actor: UserActor, groupId: string, deviceId: string) {
    return this.#db.all(
      q
        .selectFrom('device_group_members as member')
        .innerJoin('devices', 'devices.id', 'member.device_id')
        .select(['devices.id', 'hostname', 'display_name', 'status', 'os_type', 'is_pinned', 'added_at', 'added_by'])
        .where('group_id', '=', groupId)
        .where('member.device_id', '>', deviceId)
        .where(withinReach(actor, 'devices'))
        .orderBy('member.device_id')
        .limit(membersPerBatch),
    )
  }

  /** All of them or none. */
  add(actor: UserActor, groupId: string, deviceIds: readonly string[]) {
    const wanted = [...new Set(deviceIds)]
    return this.#db.transaction(() => {
      const group = findGroupToWrite(this.#db, actor, groupId)
      if (group.type === 'dynamic') throw new AppError('group_is_dynamic')
      assertFitting(this.#db, group, wanted)
      const added = this.#memberships.join(groupId, wanted, manually(actor))
      if (added > 0) this.#record(actor, 'add', group, { added, deviceIds: wanted.slice(0, 100) })
      return { added, skipped: wanted.length - added, total: wanted.length }
    })
  }

  remove(actor: UserActor, groupId: string, deviceId: string) {
    return this.#db.transaction(() => {
      const group = findGroupToWrite(this.#db, actor, groupId)
      this.#assertMember(groupId, deviceId)
      assertByHand(group)
      this.#memberships.leave(groupId, [deviceId], manually(actor))
      this.#record(actor, 'remove', group, { deviceId })
      return { deviceId, groupId, removed: true as const }
    })
  }

  /** Passes over those that are not in it; returns how many left. */
  removeAll(actor: UserActor, groupId: string, deviceIds: readonly string[]): number {
    return this.#db.transaction(() => {
      const group = findGroupToWrite(this.#db, actor, groupId)
      assertByHand(group)
      assertFitting(this.#db, group, deviceIds)
      const left = this.#memberships.leave(groupId, deviceIds, manually(actor))
      this.#record(actor, 'remove', group, { removed: left.length, deviceIds: left.slice(0, 100) })
      return left.length
    })
  }

  pin(actor: UserActor, groupId: string, deviceId: string) {
    return this.#db.transaction(() => {
      const group = this.#findDynamic(actor, groupId)
      assertFitting(this.#db, group, [deviceId])
      this.#memberships.pin(groupId, deviceId, actor.userId)
      this.#record(actor, 'pin', group, { deviceId })
      return { deviceId, groupId, isPinned: true }
    })
  }

  /** Resolves when the rule has decided. */
  async unpin(actor: UserActor, groupId: string, deviceId: string) {
    this.#db.transaction(() => {
      const group = this.#findDynamic(actor, groupId)
      this.#assertMember(groupId, deviceId)
      this.#memberships.unpin(groupId, deviceId, actor.userId)
      makeDue(this.#db, deviceId)
      this.#record(actor, 'unpin', group, { deviceId })
    })
    await this.#dynamic.settle(deviceId)
    return { deviceId, groupId, isPinned: false }
  }

  preview(actor: UserActor, groupId: string, limit: number, signal: AbortSignal) {
    const group = findGroupToRead(this.#db, actor, groupId)
    if (group.type !== 'dynamic') throw new AppError('group_is_static')
    return this.#dynamic.preview(group, actor, limit, signal)
  }

  /** Of a rule that no group has yet. */
  previewRule(actor: UserActor, wanted: BodyOf<typeof previewGroupRule>, limit: number, signal: AbortSignal) {
    const { orgId, siteId = null, filterConditions } = wanted
    if (!reachesOrg(actor, orgId) || !grantedOrganization(this.#db, actor, orgId))
      throw new AppError('org_access_denied')
    assertGroupWriter(actor)
    if (!reachesSite(actor, siteId)) throw new AppError('site_access_denied')
    const rule = { org_id: orgId, site_id: siteId, ...filterColumns(filterConditions) }
    return this.#dynamic.preview(rule, actor, limit, signal)
  }

  #findDynamic(actor: UserActor, groupId: string): GroupRow {
    const group = findGroupToWrite(this.#db, actor, groupId)
    if (group.type !== 'dynamic') throw new AppError('group_is_static')
    return group
  }

  #assertMember(groupId: string, deviceId: string): void {
    if (!this.#memberships.among(groupId, [deviceId]).has(deviceId)) throw new AppError('group_member_not_found')
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'device_group.device'>,
    group: GroupRow,
    details: Record<string, unknown>,
  ): void {
    this.#audit(actor, {
      action: `device_group.device.${what}`,
      resourceType: 'device_group',
      resourceId: group.id,
      resourceName: group.name,
      orgId: group.org_id,
      details,
    })
  }
}

/** Members of a dynamic group cannot be removed by hand: the rule would add them again. */
function assertByHand({ type }: GroupRow): void {
  if (type === 'dynamic') throw new AppError('group_members_by_rule')
}
