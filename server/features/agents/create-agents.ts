import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { CommandServices } from '../commands/index.ts'
import type { Connections, DeviceWork } from '../device-connections/index.ts'
import type { DeviceServices } from '../devices/index.ts'
import type { Inventory } from '../inventory/index.ts'
import { AgentDirectory } from './directory.ts'
import { Heartbeats } from './heartbeats.ts'
import { agentJobs } from './jobs.ts'
import { agentRoutes } from './routes.ts'
import { agentSocket } from './socket.ts'
import { Telemetry } from './telemetry.ts'

interface AgentsDependencies extends Pick<DeviceServices, 'presence'>, Pick<CommandServices, 'delivery' | 'results'> {
  connections: Connections
  work: DeviceWork
  inventory: Inventory
}

/** What agents call: heartbeats, sockets, and the addresses of the public agent. */
export function createAgents(
  services: Services,
  dependencies: AgentsDependencies,
): Module<{ identify: AgentDirectory['identify']; telemetry: Telemetry }> {
  const { config, db, clock, log, limits, live, tls } = services
  const directory = new AgentDirectory(db, clock, limits)
  const telemetry = new Telemetry(db, clock, live, log)
  const trust = {
    caPem: () => tls?.caPem() ?? null,
    trustedFingerprints: () => tls?.trustedFingerprints() ?? [],
  }
  const heartbeats = new Heartbeats({ ...services, ...dependencies, directory, telemetry, trust })
  const { heartbeatIntervalSeconds } = config
  return {
    api: { identify: directory.identify, telemetry },
    routes: (http) => {
      agentRoutes(http, { db, clock, heartbeats, inventory: dependencies.inventory, heartbeatIntervalSeconds })
      agentSocket(http, { ...services, ...dependencies, directory })
    },
    jobs: agentJobs(live, dependencies.connections),
    stop: () => telemetry.flush(),
  }
}
