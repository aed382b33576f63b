import type { Updateable } from 'kysely'
import type { updateDevice as updateDeviceContract } from '../../../shared/api/devices.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import { closeCode } from '../../../shared/device/socket.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { smallCharacters } from '../../../shared/fields.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { everyOrg, type Reach, unlimitedReach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
import { fromJson, type JsonText, toJson } from '../../lib/json.ts'
import { type Actor, reachesSite, systemActor, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, hour, iso, isoNow } from '../../platform/clock.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import type { LiveEvents, Place } from '../../platform/live.ts'
import type { Signal } from '../../platform/signal.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import type { Connections } from '../device-connections/index.ts'
import { groupsOf } from '../device-groups/index.ts'
import { type OrganizationRow, operableOrganization, writableOrganization } from '../organization-access/index.ts'
import type { Sites } from '../sites/index.ts'
import { issueTokens } from './agent-tokens.ts'
import { assertRoomForDevice, assertRoomInOrganization } from './device-limits.ts'
import type { Presence } from './presence.ts'
import { type Device, findDevice, readDeviceRow, updateDevice } from './store.ts'
import type { CustomFields, DeviceTable } from './tables.ts'
import { suspendTokens } from './token-suspension.ts'

interface DeviceChangeServices {
  db: Database
  clock: Clock
  audit: Audit
  live: LiveEvents
  connections: Connections
  sites: Sites
  presence: Presence
  signals: DeviceSignals
}

/** What happens to devices, for other features. */
export interface DeviceSignals {
  /** Commands to it are no longer wanted; said in the transaction that puts it out of service. */
  retiring: Signal<{ deviceId: string; reason: string }>
  /** It goes to another organization, and what its former one waits to do with it is no longer wanted; said in the transaction. */
  moving: Signal<{ deviceId: string; toOrgId: string }>
  /** Its record is about to be deleted for good; a listener that throws keeps it. Said in the transaction. */
  deleting: Signal<{ deviceId: string }>
  /** It is out of service; said after the commit. */
  left: Signal<{ orgId: string }>
}

/** A site that the actor may move devices to. */
export interface MoveTarget {
  org: Pick<OrganizationRow, 'id' | 'partner_id'>
  siteId: string
}

export class Devices {
  readonly #services: DeviceChangeServices

  constructor(services: DeviceChangeServices) {
    this.#services = services
  }

  /** The device if the actor reaches it: another organization's is not found, another site's is forbidden. */
  find(actor: UserActor, id: string): Device {
    const device = this.#findIn({ ...actor, sites: null }, id)
    assertSite(actor, device)
    return device
  }

  /** To change what is kept of it: refuses with 409 while its organization is frozen. */
  findWritable(actor: UserActor, id: string): Device {
    return this.#findToWrite(actor, id, writableOrganization)
  }

  /** For whatever is done to it or by it: refuses with 409 while its organization is not managed. */
  findOperable(actor: UserActor, id: string): Device {
    return this.#findToWrite(actor, id, operableOrganization)
  }

  row(actor: UserActor, id: string) {
    this.find(actor, id)
    const row = readDeviceRow(this.#services.db, actor, id)
    if (!row) throw new AppError('device_not_found')
    return row
  }

  stats(actor: UserActor, orgId: string | undefined) {
    let visible = q.selectFrom('devices').where(withinReach(actor, 'devices'))
    if (orgId !== undefined) visible = visible.where('org_id', '=', orgId)
    const rows = this.#services.db.all(
      visible.select(['status', (select) => select.fn.countAll<number>().as('total')]).groupBy('status'),
    )
    const byStatus = Object.fromEntries(rows.map((row) => [row.status, row.total]))
    const total = rows.reduce((sum, row) => (row.status === 'decommissioned' ? sum : sum + row.total), 0)
    const online = byStatus.online ?? 0
    return { data: { total, online, offline: total - online, byStatus, migrationRequiredCount: 0 } }
  }

  /** The device that was enrolled first; null where none is in service. */
  firstInService(actor: UserActor, orgId: string | undefined) {
    let visible = q
      .selectFrom('devices')
      .select(['id', 'hostname', 'display_name', 'status'])
      .where(withinReach(actor, 'devices'))
      .where('status', '<>', 'decommissioned')
    if (orgId !== undefined) visible = visible.where('org_id', '=', orgId)
    const device = this.#services.db.first(visible.orderBy('enrolled_at').limit(1))
    return device ? { id: device.id, name: device.display_name ?? device.hostname, status: device.status } : null
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updateDeviceContract>) {
    return this.#services.db.transaction(() => {
      const before = this.findOperable(actor, id)
      const changedFields = changedFieldsOf(wanted)
      const former = this.row(actor, id)
      if (wanted.siteId) this.#assertTargetSite(actor, before, wanted.siteId)
      this.#change(before, {
        ...(wanted.displayName !== undefined && { display_name: wanted.displayName || null }),
        ...(wanted.siteId && { site_id: wanted.siteId }),
        ...(wanted.tags && { tags: toJson([...new Set(wanted.tags)]) }),
        ...(wanted.customFields && { custom_fields: mergedFields(before.custom_fields, wanted.customFields) }),
        ...(wanted.deviceRole && { device_role: wanted.deviceRole, device_role_source: 'manual' as const }),
      })
      // The device has left a group of the other site: users must not move devices out of their own reach.
      if (!findDevice(this.#services.db, actor, id)) throw new AppError('site_access_denied')
      const after = this.row(actor, id)
      this.#record(actor, before, 'device.update', changeOf(changedFields, former, after))
      return after
    })
  }

  /** Returns false for a device that is at the site already. Everything recorded of a device goes by its id, and so with it. */
  move(actor: UserActor, id: string, { org, siteId }: MoveTarget): boolean {
    return this.#services.db.transaction(() => {
      const device = this.findOperable(actor, id)
      if (device.site_id === siteId) return false
      const former = this.row(actor, id)
      const isLeaving = device.org_id !== org.id
      if (isLeaving) this.#leaveOrganization(device, org)
      this.#change(device, { org_id: org.id, site_id: siteId })
      // As in an update: users must not move devices out of their own reach.
      if (!findDevice(this.#services.db, actor, id)) throw new AppError('site_access_denied')
      const after = this.row(actor, id)
      if (isLeaving) this.#recordMove(actor, device, org.id, former.siteName, after.siteName)
      else this.#record(actor, device, 'device.move', changeOf(['siteId'], former, after))
      return true
    })
  }

  decommission(actor: UserActor, id: string) {
    return this.#services.db.transaction(() => {
      this.#decommission(actor, this.findOperable(actor, id), {})
      return { success: true as const, device: this.row(actor, id) }
    })
  }

  /** Without a user: the agent removed itself, or its package was removed a day ago. */
  decommissionBySystem(deviceId: string, reason: string): void {
    this.#services.db.transaction(() => {
      const device = findDevice(this.#services.db, unlimitedReach, deviceId)
      if (device && device.status !== 'decommissioned')
        this.#decommission(systemActor('devices.decommission'), device, { reason })
    })
  }

  restore(actor: UserActor, id: string) {
    return this.#services.db.transaction(() => {
      const device = this.findOperable(actor, id)
      if (device.status !== 'decommissioned') throw new AppError('device_not_decommissioned')
      assertRoomForDevice(this.#services.db, device.org_id)
      // Restoring a device that was rejected approves it.
      const approved = { quarantined_at: null, quarantined_reason: null }
      this.#change(device, { status: 'offline', uninstall_intent_at: null, ...approved })
      this.#record(actor, device, 'device.restore')
      return { success: true as const, device: this.row(actor, id) }
    })
  }

  deletePermanently(actor: UserActor, id: string) {
    return this.#services.db.transaction(() => {
      const device = this.findWritable(actor, id)
      if (device.status !== 'decommissioned') throw new AppError('device_must_be_decommissioned')
      const agentUninstallSent = this.#sendUninstall(id)
      this.#services.signals.deleting.say({ deviceId: id })
      const groups = groupsOf(this.#services.db, id)
      this.#services.db.run(q.deleteFrom('devices').where('id', '=', id))
      this.#closeAfterCommit(id, closeCode.decommissioned, 'deleted')
      this.#record(actor, device, 'device.permanent_delete', { hostname: device.hostname })
      this.#services.db.afterCommit(() =>
        this.#services.live.publish(
          { type: 'device.removed', deviceId: id, orgId: device.org_id, siteId: device.site_id },
          groups,
        ),
      )
      const warning = 'The agent on the device was not reachable; remove it there by hand'
      return { success: true as const, agentUninstallSent, ...(!agentUninstallSent && { warning }) }
    })
  }

  setMaintenance(actor: UserActor, id: string, wanted: { enable: boolean; durationHours?: number | undefined }) {
    return this.#services.db.transaction(() => {
      const device = this.findOperable(actor, id)
      if (['decommissioned', 'quarantined', 'pending'].includes(device.status))
        throw new AppError('bad_request', { error: `A device that is ${device.status} has no maintenance window` })
      if (wanted.enable) {
        const until = wanted.durationHours ? iso(this.#services.clock.now() + wanted.durationHours * hour) : null
        this.#change(device, { status: 'maintenance', maintenance_until: until })
      } else this.#services.presence.leaveMaintenance(id, actor)
      this.#record(actor, device, wanted.enable ? 'device.maintenance.enable' : 'device.maintenance.disable', {
        durationHours: wanted.durationHours ?? null,
      })
      return { success: true as const, device: this.row(actor, id) }
    })
  }

  quarantined(actor: UserActor) {
    const rows = this.#services.db.all(
      q
        .selectFrom('devices')
        .select(['id', 'agent_id', 'hostname', 'os_type', 'quarantined_at', 'quarantined_reason'])
        .where(withinReach(actor, 'devices'))
        .where('status', '=', 'quarantined')
        .orderBy('quarantined_at', 'desc')
        .orderBy('id')
        .limit(100),
    )
    return {
      devices: rows.map((row) => ({
        id: row.id,
        agentId: row.agent_id,
        hostname: row.hostname,
        osType: row.os_type,
        quarantinedAt: row.quarantined_at,
        quarantinedReason: row.quarantined_reason,
      })),
    }
  }

  approve(actor: UserActor, id: string): void {
    this.#services.db.transaction(() => {
      const device = this.#findQuarantined(actor, id)
      this.#change(device, { status: 'online', quarantined_at: null, quarantined_reason: null })
      this.#record(actor, device, 'admin.device.approve')
    })
  }

  deny(actor: UserActor, id: string): void {
    this.#services.db.transaction(() => {
      const device = this.#findQuarantined(actor, id)
      this.#services.signals.retiring.say({ deviceId: id, reason: 'device_denied' })
      this.#change(device, { status: 'decommissioned' })
      this.#closeAfterCommit(id, closeCode.decommissioned, 'decommissioned')
      this.#record(actor, device, 'admin.device.deny')
    })
  }

  /** All of the old tokens stop at once; the new ones are carried to the machine by hand. */
  rotateToken(actor: UserActor, id: string) {
    return this.#services.db.transaction(() => {
      const device = this.findOperable(actor, id)
      if (device.status === 'decommissioned') throw new AppError('device_already_decommissioned')
      const { tokens, columns } = issueTokens(isoNow(this.#services.clock))
      this.#change(device, columns)
      this.#closeAfterCommit(id, closeCode.unauthorized, 'credential replaced')
      this.#record(actor, device, 'device.agent_token.rotate')
      return { deviceId: id, agentId: device.agent_id, ...tokens }
    })
  }

  /** Tells a connected agent to remove itself; false when none is connected. */
  #sendUninstall(deviceId: string): boolean {
    const payload = { removeConfig: true }
    return this.#services.connections.send(deviceId, { id: `uninstall-${deviceId}`, type: 'self_uninstall', payload })
  }

  #decommission(actor: Actor, device: Device, details: Record<string, unknown>): void {
    if (device.status === 'decommissioned') throw new AppError('device_already_decommissioned')
    this.#services.signals.retiring.say({ deviceId: device.id, reason: 'device_decommissioned' })
    this.#change(device, { status: 'decommissioned', maintenance_until: null })
    this.#closeAfterCommit(device.id, closeCode.decommissioned, 'decommissioned')
    this.#record(actor, device, 'device.decommission', details)
    this.#services.db.afterCommit(() => this.#services.signals.left.say({ orgId: device.org_id }))
  }

  /** No device leaves its company, not even by an operator, who reaches them all. */
  #leaveOrganization(device: Device, to: MoveTarget['org']): void {
    const { db, clock, signals } = this.#services
    const from = db.one(q.selectFrom('organizations').select('partner_id').where('id', '=', device.org_id))
    if (from.partner_id !== to.partner_id) throw new AppError('organization_not_found')
    if (device.status !== 'decommissioned') assertRoomInOrganization(db, to.id)
    signals.moving.say({ deviceId: device.id, toOrgId: to.id })
    // Its former organization may have suspended them, and would no longer give them back.
    suspendTokens(db, [device.seq], null, isoNow(clock))
    this.#closeAfterCommit(device.id, closeCode.moved, 'moved to another organization')
  }

  /** In both logs, and in neither by the name of the other organization: who reads one need not know of the other. */
  #recordMove(actor: Actor, device: Device, toOrgId: string, fromSiteName: string, toSiteName: string): void {
    this.#record(actor, device, 'device.move.out', { siteName: fromSiteName, toOrgId })
    const arrived = { ...device, org_id: toOrgId }
    this.#record(actor, arrived, 'device.move.in', { siteName: toSiteName, fromOrgId: device.org_id })
  }

  /** Not by reach: a user with an archived organization is told that it is frozen instead of 404. */
  #findToWrite(actor: UserActor, id: string, assertOrganization: typeof writableOrganization): Device {
    const device = this.#findIn({ ...actor, sites: null, orgs: everyOrg }, id)
    assertOrganization(this.#services.db, actor, device.org_id, 'device_not_found')
    assertSite(actor, device)
    return device
  }

  #findIn(reach: Reach, id: string): Device {
    const device = findDevice(this.#services.db, reach, id)
    if (!device) throw new AppError('device_not_found')
    return device
  }

  #findQuarantined(actor: UserActor, id: string): Device {
    const device = this.findOperable(actor, id)
    if (device.status !== 'quarantined') throw new AppError('device_not_quarantined')
    return device
  }

  #assertTargetSite(actor: UserActor, device: Device, siteId: string): void {
    const isReached = reachesSite(actor, siteId) && this.#services.sites.inOrganization(device.org_id, siteId)
    if (!isReached) throw new AppError('target_site_invalid')
  }

  #change(device: Device, changes: Updateable<DeviceTable>): void {
    const { db, clock, live, presence } = this.#services
    const before = placeOf(db, device)
    updateDevice(db, device.id, { ...changes, updated_at: isoNow(clock) })
    db.afterCommit(() => {
      const after = findDevice(db, unlimitedReach, device.id)
      if (!after) return
      if (after.site_id !== device.site_id) live.moved(device.id, before, placeOf(db, after))
      if (after.status !== device.status) presence.announce(after)
      live.publish({ type: 'device.changed', deviceId: after.id, orgId: after.org_id, siteId: after.site_id })
    })
  }

  #closeAfterCommit(deviceId: string, code: number, reason: string): void {
    this.#services.db.afterCommit(() => this.#services.connections.close(deviceId, code, reason))
  }

  #record(actor: Actor, device: Device, action: AuditAction, details: Record<string, unknown> = {}): void {
    this.#services.audit(actor, {
      action,
      resourceType: 'device',
      resourceId: device.id,
      resourceName: device.display_name ?? device.hostname,
      orgId: device.org_id,
      details,
    })
  }
}

function assertSite(actor: UserActor, device: Device): void {
  if (!reachesSite(actor, device.site_id)) throw new AppError('site_access_denied')
}

const placeOf = (db: Database, { id, org_id, site_id }: Device): Place => ({
  orgId: org_id,
  siteId: site_id,
  groups: groupsOf(db, id),
})

/** A null removes the key. The result is limited to 64 KB; larger values of former versions may only shrink. */
function mergedFields(stored: JsonText<CustomFields>, changes: CustomFields): JsonText<CustomFields> {
  const all = { ...fromJson(stored), ...changes }
  const merged = toJson<CustomFields>(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)))
  if (merged.length > Math.max(smallCharacters, stored.length))
    throw fieldError('customFields', 'All of them together must not be larger than 64 KB')
  return merged
}
