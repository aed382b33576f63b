import { randomUUIDv7 } from 'node:crypto'
import { type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import type {
  createDeviceGroup,
  DeviceGroup,
  listDeviceGroups,
  updateDeviceGroup,
} from '../../../shared/api/device-groups.ts'
import type { listGroupsLegacy } from '../../../shared/api/device-groups-legacy.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { contains } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { toJson } from '../../lib/json.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { reachesOrg, reachesSite, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import type { Tables } from '../../tables.ts'
import { grantedOrganization, operableOrganization, resolveOrganization } from '../organization-access/index.ts'
import type { Sites } from '../sites/index.ts'
import type { DynamicGroups } from './dynamic-groups.ts'
import { filterColumns } from './filter.ts'
import { assertFitting, assertGroupWriter, findGroupToRead, findGroupToWrite } from './group-access.ts'
import { manually } from './membership-log.ts'
import type { Memberships } from './memberships.ts'
import { findGroup, type GroupRow, groupRows, groupView, readGroup } from './store.ts'
import type { DeviceGroupTable } from './tables.ts'

interface DeviceGroupServices {
  db: Database
  clock: Clock
  audit: Audit
  sites: Sites
  memberships: Memberships
  dynamic: DynamicGroups
}

/** The list has no pages; with this many memberships it still takes well under a second. */
const maxListedMemberships = 100_000
const membersPerBatch = 5000

type GroupInput = BodyOf<typeof updateDeviceGroup>

export class DeviceGroups {
  readonly #services: DeviceGroupServices

  constructor(services: DeviceGroupServices) {
    this.#services = services
  }

  *list(actor: UserActor, wanted: QueryOf<typeof listDeviceGroups>): Steps<ReplyOf<typeof listDeviceGroups>> {
    const visible = this.#visible(actor, wanted)
    const ids = this.#services.db.all(newestFirst(visible.clearSelect().select('device_groups.id')))
    const data = yield* this.#views(visible, ids)
    if (!wanted.includeMemberships) return { data, total: data.length }
    if (data.reduce((sum, { deviceCount }) => sum + deviceCount, 0) > maxListedMemberships)
      throw new AppError('group_list_too_large')
    for (const group of data) group.deviceIds = yield* this.#membersOf(group.id)
    return { data, total: data.length }
  }

  *page(
    actor: UserActor,
    { orgId, page, limit }: QueryOf<typeof listGroupsLegacy>,
  ): Steps<ReplyOf<typeof listGroupsLegacy>> {
    if (!orgId) throw new AppError('org_id_query_required')
    const { db } = this.#services
    const visible = this.#visible(actor, { orgId })
    const ids = db.all(
      newestFirst(visible.clearSelect().select('device_groups.id'))
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const total = db.first(visible.clearSelect().select((select) => select.fn.countAll<number>().as('total')))?.total
    return { data: yield* this.#views(visible, ids), pagination: { page, limit, total: total ?? 0 } }
  }

  #visible(actor: UserActor, { orgId, siteId, type, parentId, search }: QueryOf<typeof listDeviceGroups>) {
    if (orgId && !(reachesOrg(actor, orgId) && grantedOrganization(this.#services.db, actor, orgId)))
      throw new AppError('org_access_denied')
    if (siteId && !reachesSite(actor, siteId)) throw new AppError('site_access_denied')
    let visible = groupRows().where(withinReach(actor, 'device_groups'))
    if (orgId) visible = visible.where('org_id', '=', orgId)
    if (siteId) visible = visible.where('site_id', '=', siteId)
    if (type) visible = visible.where('type', '=', type)
    if (parentId) visible = visible.where('parent_id', '=', parentId)
    if (search) visible = visible.where(contains(sql.ref('name'), search))
    return visible
  }

  read(actor: UserActor, id: string): DeviceGroup {
    findGroupToRead(this.#services.db, actor, id)
    return this.#view(id)
  }

  async create(actor: UserActor, wanted: BodyOf<typeof createDeviceGroup>, orgId?: string): Promise<DeviceGroup> {
    const { db } = this.#services
    const type = wanted.type ?? 'static'
    const deviceIds = [...new Set(wanted.deviceIds ?? [])]
    if (type === 'dynamic' && deviceIds.length > 0) throw new AppError('group_is_dynamic')
    const id = randomUUIDv7()
    db.transaction(() => {
      const meant = resolveOrganization(db, actor, wanted.orgId ?? orgId)
      const org = operableOrganization(db, actor, meant, 'org_access_denied')
      assertGroupWriter(actor)
      this.#assertSite(actor, org.id, wanted.siteId ?? null)
      if (wanted.parentId) this.#assertParent(actor, org.id, wanted.parentId, id)
      const now = isoNow(this.#services.clock)
      const columns = { ...columnsOf(wanted), id, org_id: org.id, name: wanted.name }
      db.run(q.insertInto('device_groups').values({ ...columns, type, created_at: now, updated_at: now }))
      if (deviceIds.length > 0) {
        assertFitting(db, readGroup(db, id), deviceIds)
        this.#services.memberships.join(id, deviceIds, manually(actor))
      }
      this.#record(actor, 'create', { id, org_id: org.id, name: wanted.name }, { type, devices: deviceIds.length })
    })
    if (type === 'dynamic') await this.#services.dynamic.fill(id)
    return this.#view(id)
  }

  async update(actor: UserActor, id: string, wanted: GroupInput): Promise<DeviceGroup> {
    const { db, clock } = this.#services
    const after = db.transaction(() => {
      const before = findGroupToWrite(db, actor, id)
      const changedFields = changedFieldsOf(wanted)
      const former = this.#view(id)
      if (wanted.siteId !== undefined) this.#assertSite(actor, before.org_id, wanted.siteId)
      if (wanted.parentId) this.#assertParent(actor, before.org_id, wanted.parentId, id)
      const changes = { ...columnsOf(wanted), ...(wanted.name && { name: wanted.name }), updated_at: isoNow(clock) }
      db.run(q.updateTable('device_groups').set(changes).where('id', '=', id))
      const changed = readGroup(db, id)
      this.#dropOutside(actor, changed)
      this.#record(actor, 'update', changed, changeOf(changedFields, former, this.#view(id)))
      return changed
    })
    if (after.type === 'dynamic') await this.#services.dynamic.fill(id)
    return this.#view(id)
  }

  remove(actor: UserActor, id: string): DeviceGroup {
    const { db, memberships } = this.#services
    return db.transaction(() => {
      const group = findGroupToWrite(db, actor, id)
      if (db.first(q.selectFrom('device_groups').select('id').where('parent_id', '=', id)))
        throw new AppError('group_has_children')
      const view = this.#view(id)
      memberships.clear(id)
      db.run(q.deleteFrom('device_groups').where('id', '=', id))
      this.#record(actor, 'delete', group)
      return view
    })
  }

  #assertSite(actor: UserActor, orgId: string, siteId: string | null): void {
    const isReached = reachesSite(actor, siteId)
    if (siteId === null && !isReached) throw new AppError('site_access_denied')
    if (siteId !== null && !(isReached && this.#services.sites.inOrganization(orgId, siteId)))
      throw new AppError('group_site_invalid')
  }

  #assertParent(actor: UserActor, orgId: string, parentId: string, id: string): void {
    if (parentId === id) throw new AppError('group_parent_itself')
    const parent = findGroup(this.#services.db, parentId)
    const isSeen = parent && reachesOrg(actor, parent.org_id) && reachesSite(actor, parent.site_id)
    if (!isSeen) throw new AppError('group_parent_missing')
    if (parent.org_id !== orgId) throw new AppError('group_parent_elsewhere')
    for (
      let above: GroupRow | undefined = parent;
      above?.parent_id;
      above = findGroup(this.#services.db, above.parent_id)
    )
      if (above.parent_id === id) throw new AppError('group_parent_below')
  }

  /** Devices of other sites leave a group that belongs to one. */
  #dropOutside(actor: UserActor, { id, site_id }: GroupRow): void {
    if (site_id === null) return
    const outside = this.#services.db.all(
      q
        .selectFrom('device_group_members')
        .innerJoin('devices', 'devices.id', 'device_id')
        .select('device_id')
        .where('group_id', '=', id)
        .where('devices.site_id', '!=', site_id),
    )
    if (outside.length > 0)
      this.#services.memberships.leave(
        id,
        outside.map(({ device_id }) => device_id),
        manually(actor),
      )
  }

  #view(id: string): DeviceGroup {
    const row = this.#services.db.first(groupRows().where('id', '=', id))
    if (!row) throw new AppError('group_not_found')
    return groupView(row)
  }

  /** A rule may be a hundred kilobytes. */
  #views(visible: ReturnType<typeof groupRows>, groups: readonly { id: string }[]): Steps<DeviceGroup[]> {
    const read = (some: readonly { id: string }[]) => {
      const ids = JSON.stringify(some.map(({ id }) => id))
      const among = sql<boolean>`device_groups.id in (select value from json_each(${ids}))`
      return this.#services.db.all(newestFirst(visible.where(among)))
    }
    return shownInSteps(groups, read, groupView)
  }

  *#membersOf(id: string): Steps<string[]> {
    const some = this.#services.db
      .statement<string>(
        `SELECT device_id FROM device_group_members WHERE group_id = ? AND device_id > +? ORDER BY device_id LIMIT ${membersPerBatch}`,
      )
      .pluck()
    const members: string[] = []
    for (let last: string | undefined = ''; last !== undefined; ) {
      const ids = some.all(id, last)
      members.push(...ids)
      yield
      last = ids.length === membersPerBatch ? ids.at(-1) : undefined
    }
    return members
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'device_group'>,
    group: Pick<GroupRow, 'id' | 'org_id' | 'name'>,
    details: Record<string, unknown> = {},
  ): void {
    this.#services.audit(actor, {
      action: `device_group.${what}`,
      resourceType: 'device_group',
      resourceId: group.id,
      resourceName: group.name,
      orgId: group.org_id,
      details,
    })
  }
}

const newestFirst = <Row>(groups: SelectQueryBuilder<Tables, 'device_groups', Row>) =>
  groups.orderBy('created_at', 'desc').orderBy('id', 'desc')

const columnsOf = ({ siteId, type, rules, filterConditions, parentId }: GroupInput): Updateable<DeviceGroupTable> => ({
  ...(siteId !== undefined && { site_id: siteId }),
  ...(type && { type }),
  ...(rules !== undefined && { rules: rules === null ? null : toJson(rules) }),
  ...(filterConditions !== undefined && filterColumns(filterConditions)),
  ...(parentId !== undefined && { parent_id: parentId }),
})
