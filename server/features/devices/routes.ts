import { devicePresence } from '../../../shared/api/device-presence.ts'
import * as contract from '../../../shared/api/devices.ts'
import type { Http } from '../../platform/http/http.ts'
import { searches } from '../../platform/http/searches.ts'
import type { SoftwareReports } from '../inventory/index.ts'
import { type DetailServices, readDeviceDetail } from './detail.ts'
import type { DeviceExport } from './export.ts'
import type { DeviceList } from './list.ts'
import type { DeviceMoves } from './moves.ts'
import type { PresenceHistory } from './presence-history.ts'
import type { SeveralChanges } from './several-changes.ts'
import { siteTimezone } from './store.ts'

interface DeviceRouteServices extends DetailServices {
  several: SeveralChanges
  moves: DeviceMoves
  list: DeviceList
  exports: DeviceExport
  history: PresenceHistory
  software: SoftwareReports
}

export function deviceRoutes(http: Http, services: DeviceRouteServices): void {
  const { devices, several, moves, list, exports, history, metrics, inventory, software } = services
  const search = searches()

  http.user(contract.listDevices, ({ actor, query, reply }) => search.steps(actor, reply, list.list(actor, query)))
  http.user(contract.exportDevices, ({ actor, body, reply }) => {
    const file = exports.open(actor, body)
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="devices.csv"')
    return file
  })
  http.user(contract.deviceStats, ({ actor, query }) => devices.stats(actor, query.orgId))
  http.user(devicePresence, ({ actor, query, reply }) =>
    search.steps(actor, reply, history.lastDay(actor, query.deviceIds)),
  )
  http.user(contract.readDevice, ({ actor, params }) => readDeviceDetail(services, actor, params.id))
  http.user(contract.updateDevice, ({ actor, params, body }) => devices.update(actor, params.id, body))
  http.user(contract.decommissionDevice, ({ actor, params }) => devices.decommission(actor, params.id))
  http.user(contract.restoreDevice, ({ actor, params }) => devices.restore(actor, params.id))
  http.user(contract.deleteDevicePermanently, ({ actor, params }) => devices.deletePermanently(actor, params.id))
  http.user(contract.moveDeviceToOrganization, ({ actor, params, body }) =>
    moves.toOrganization(actor, params.id, body),
  )
  http.user(contract.moveDevices, ({ actor, body }) => moves.many(actor, body))
  http.user(contract.setDeviceMaintenance, ({ actor, params, body }) => devices.setMaintenance(actor, params.id, body))
  http.user(contract.setDevicesMaintenance, ({ actor, body }) => several.setMaintenance(actor, body))
  http.user(contract.changeDeviceTags, ({ actor, body }) => several.changeTags(actor, body))
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
