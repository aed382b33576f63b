import type { z } from 'zod'
import * as contract from '../../../shared/api/devices.ts'
import { byName } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import type { Connections } from '../device-connections/index.ts'
import type { Inventory, SoftwareReports } from '../inventory/index.ts'
import type { Devices } from './devices.ts'
import type { DeviceList } from './list.ts'
import type { Metrics } from './metrics.ts'

interface Services {
  db: Database
  devices: Devices
  list: DeviceList
  metrics: Metrics
  inventory: Inventory
  software: SoftwareReports
  connections: Connections
}

export function deviceRoutes(http: Http, services: Services): void {
  const { devices, list, metrics, inventory, software } = services
  const search = searches()

  http.user(contract.listDevices, ({ actor, query, reply }) => search.steps(actor, reply, list.list(actor, query)))
  http.user(contract.deviceStats, ({ actor, query }) => devices.stats(actor, query.orgId))
  http.user(contract.readDevice, ({ actor, params }) => deviceDetail(services, actor, params.id))
  http.user(contract.updateDevice, ({ actor, params, body }) => devices.update(actor, params.id, body))
  http.user(contract.decommissionDevice, ({ actor, params }) => devices.decommission(actor, params.id))
  http.user(contract.restoreDevice, ({ actor, params }) => devices.restore(actor, params.id))
  http.user(contract.deleteDevicePermanently, ({ actor, params }) => devices.deletePermanently(actor, params.id))
  http.user(contract.setDeviceMaintenance, ({ actor, params, body }) => devices.setMaintenance(actor, params.id, body))
  http.user(contract.rotateDeviceToken, ({ actor, params }) => devices.rotateToken(actor, params.id))

  http.user(contract.listQuarantinedDevices, ({ actor }) => devices.quarantined(actor))
  http.user(contract.approveDevice, ({ actor, params }) => {
    devices.approve(actor, params.deviceId)
    return { success: true as const, mtls: null }
  })
  http.user(contract.denyDevice, ({ actor, params }) => {
    devices.deny(actor, params.deviceId)
    return { success: true as const }
  })

  http.user(contract.deviceHardware, ({ actor, params }) => {
    const { id } = devices.find(actor, params.id)
    return {
      hardware: inventory.hardware(id),
      diskDrives: inventory.disks(id),
      networkInterfaces: inventory.adapters(id),
    }
  })
  http.user(contract.deviceDisks, ({ actor, params }) => ({ data: inventory.disks(devices.find(actor, params.id).id) }))
  http.user(contract.deviceNetwork, ({ actor, params }) => {
    const { id } = devices.find(actor, params.id)
    return { data: inventory.adapters(id), vpns: inventory.vpns(id) }
  })
  http.user(contract.deviceConnections, ({ actor, params }) => ({
    data: inventory.connections(devices.find(actor, params.id).id),
  }))
  http.user(contract.deviceSoftware, ({ actor, params, query, reply }) =>
    search.steps(actor, reply, software.list(devices.find(actor, params.id).id, query)),
  )
  http.user(contract.deviceMetrics, ({ actor, params, query, reply }) => {
    const device = devices.find(actor, params.id)
    return search.steps(actor, reply, metrics.over(device.id, query, siteTimezone(services.db, device.site_id)))
  })
}

function deviceDetail(services: Services, actor: UserActor, id: string): z.input<typeof contract.readDevice.reply> {
  const row = services.devices.row(actor, id)
  const device = services.devices.find(actor, id)
  return {
    ...row,
    siteTimezone: siteTimezone(services.db, device.site_id),
    hardware: services.inventory.hardware(id),
    networkInterfaces: services.inventory.adapters(id),
    recentMetrics: services.metrics.recent(id),
    groups: groupsAround(services.db, actor, id),
    isConnected: services.connections.isConnected(id),
    enrollmentKey: device.enrolled_by === null ? null : enrollmentKey(services.db, actor, device.enrolled_by),
    quarantinedAt: device.quarantined_at,
    quarantinedReason: device.quarantined_reason,
    remoteAccessPolicy: null,
    hasRemoteAccessLauncher: false,
    remoteAccessLaunchSkipReason: null,
  }
}

const enrollmentKey = (db: Database, actor: UserActor, id: string): { id: string; name: string } | null =>
  db.first(
    q
      .selectFrom('enrollment_keys')
      .select(['id', 'name'])
      .where('id', '=', id)
      .where(withinReach(actor, 'enrollment_keys')),
  ) ?? null

/** A device is in groups its reader knows nothing of, too. */
const groupsAround = (db: Database, actor: UserActor, deviceId: string) =>
  db.all(
    q
      .selectFrom('device_group_members')
      .innerJoin('device_groups', 'device_groups.id', 'group_id')
      .select(['group_id as groupId', 'name as groupName', 'type as groupType', 'added_at as addedAt'])
      .select('added_by as addedBy')
      .where('device_id', '=', deviceId)
      .where(withinReach(actor, 'device_groups'))
      .orderBy(byName('name'))
      .orderBy('group_id'),
  )

const siteTimezone = (db: Database, siteId: string): string =>
  db.first(q.selectFrom('sites').select('timezone').where('id', '=', siteId))?.timezone ?? 'UTC'
