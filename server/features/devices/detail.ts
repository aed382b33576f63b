import type { z } from 'zod'
import type { readDevice } from '../../../shared/api/devices.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Connections } from '../device-connections/index.ts'
import type { Inventory } from '../inventory/index.ts'
import type { Devices } from './devices.ts'
import type { Metrics } from './metrics.ts'
import { findEnrollmentKey, findGroupsOf, siteTimezone } from './store.ts'

export interface DetailServices {
  db: Database
  devices: Devices
  metrics: Metrics
  inventory: Inventory
  connections: Connections
}

/** @throws AppError `device_not_found`, `site_access_denied` */
export function readDeviceDetail(
  services: DetailServices,
  actor: UserActor,
  id: string,
): z.input<typeof readDevice.reply> {
  const row = services.devices.row(actor, id)
  const device = services.devices.find(actor, id)
  return {
    ...row,
    siteTimezone: siteTimezone(services.db, device.site_id),
    hardware: services.inventory.hardware(id),
    networkInterfaces: services.inventory.adapters(id),
    recentMetrics: services.metrics.recent(id),
    groups: findGroupsOf(services.db, actor, id),
    isConnected: services.connections.isConnected(id),
    enrollmentKey: device.enrolled_by === null ? null : findEnrollmentKey(services.db, actor, device.enrolled_by),
    quarantinedAt: device.quarantined_at,
    quarantinedReason: device.quarantined_reason,
    remoteAccessPolicy: null,
    hasRemoteAccessLauncher: false,
    remoteAccessLaunchSkipReason: null,
  }
}
