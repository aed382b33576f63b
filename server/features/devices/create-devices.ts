import type { FoundDevice } from '../../../shared/api/search.ts'
import type { Find } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { Signal } from '../../platform/signal.ts'
import type { Connections } from '../device-connections/index.ts'
import type { Inventory, SoftwareReports } from '../inventory/index.ts'
import type { Sites } from '../sites/index.ts'
import { BestDevices } from './best-devices.ts'
import { type DeviceSignals, Devices } from './devices.ts'
import { DeviceExport } from './export.ts'
import { deviceJobs } from './jobs.ts'
import { DeviceList } from './list.ts'
import { Metrics } from './metrics.ts'
import { DeviceMoves } from './moves.ts'
import { Presence } from './presence.ts'
import { PresenceHistory } from './presence-history.ts'
import { deviceRoutes } from './routes.ts'
import { DeviceSearch } from './search.ts'
import { SeveralChanges } from './several-changes.ts'
import { DeviceTotals } from './totals.ts'

interface DevicesDependencies {
  connections: Connections
  sites: Sites
  inventory: Inventory
  software: SoftwareReports
}

export interface DeviceServices {
  devices: Devices
  list: DeviceList
  presence: Presence
  signals: DeviceSignals
  findDevices: Find<FoundDevice>
}

export function createDevices(services: Services, dependencies: DevicesDependencies): Module<DeviceServices> {
  const { config, db, clock, audit, live, limits } = services
  const presence = new Presence(db, clock, audit, live, config.heartbeatIntervalSeconds)
  const signals: DeviceSignals = {
    retiring: new Signal(),
    moving: new Signal(),
    deleting: new Signal(),
    left: new Signal(),
  }
  const devices = new Devices({ ...services, ...dependencies, presence, signals })
  const several = new SeveralChanges(db, devices)
  const moves = new DeviceMoves(db, live, devices, dependencies.sites)
  const metrics = new Metrics(db, clock)
  const history = new PresenceHistory(db, clock)
  const totals = new DeviceTotals(db)
  const search = new DeviceSearch(db, totals)
  const list = new DeviceList(db, clock, search, totals)
  const exports = new DeviceExport(db, audit, limits, list)
  const best = new BestDevices(db, search, dependencies.inventory)
  return {
    api: { devices, list, presence, signals, findDevices: (actor, text, limit) => best.find(actor, text, limit) },
    routes: (http) =>
      deviceRoutes(http, { ...dependencies, db, devices, several, moves, list, exports, history, metrics }),
    jobs: deviceJobs(devices, presence, history, metrics),
    stop: () => presence.stop(),
  }
}
