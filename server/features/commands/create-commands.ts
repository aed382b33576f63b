import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import { Commands } from './commands.ts'
import { CommandDelivery } from './delivery.ts'
import { commandJobs } from './jobs.ts'
import { CommandLedger } from './ledger.ts'
import { Removals } from './removals.ts'
import { CommandResults } from './results.ts'
import { commandRoutes } from './routes.ts'

interface CommandsDependencies extends Pick<DeviceServices, 'devices' | 'signals'> {
  connections: Connections
  work: DeviceWork
}

export interface CommandServices {
  delivery: CommandDelivery
  results: CommandResults
  removals: Removals
}

/** Commands to devices: queued, delivered, answered, given up on. */
export function createCommands(
  { db, clock, audit, live, tasks }: Services,
  { devices, signals, connections, work }: CommandsDependencies,
): Module<CommandServices> {
  const ledger = new CommandLedger(db, clock, audit, live)
  const delivery = new CommandDelivery(db, clock, connections, ledger)
  const results = new CommandResults(db, clock, live, devices, ledger, work)
  const commands = new Commands({ db, clock, tasks, connections, devices, delivery, ledger })
  signals.retiring.on(({ deviceId, reason }) => results.cancelOpen(deviceId, reason))
  signals.moving.on(({ deviceId }) => results.cancelWaiting(deviceId))
  return {
    api: { delivery, results, removals: new Removals(db, clock, ledger) },
    routes: (http) => commandRoutes(http, commands, delivery, results),
    jobs: commandJobs(results),
  }
}
