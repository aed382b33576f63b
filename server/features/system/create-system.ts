import { join } from 'node:path'
import type { Module } from '../../platform/module.ts'
import { PublicAddressChanges } from '../../platform/public-address-changes.ts'
import type { Services } from '../../platform/services.ts'
import { type Authentication, watchedTables } from '../authentication/index.ts'
import type { Connections } from '../device-connections/index.ts'
import type { AgentFile } from './agent-file.ts'
import type { ConnectionInfo } from './connection-info.ts'
import { servePages } from './console.ts'
import { systemJobs } from './jobs.ts'
import { MetricsPage } from './metrics-page.ts'
import { systemRoutes } from './routes.ts'
import { TaskList } from './task-list.ts'

interface SystemDependencies extends Pick<Authentication, 'identities' | 'assertOwner'> {
  version: string
  distDir: string
  connections: Connections
  connectionInfo: ConnectionInfo
  agentFile: AgentFile
  /** Where the logo on the sign-in page may come from; null for nowhere else. */
  logoOrigin: () => string | null
}

/** The appliance itself: health, addresses, live events, metrics, the description of the API and the console's files. */
export function createSystem(services: Services, dependencies: SystemDependencies): Module<null> {
  const { db, live, log, audit, tasks } = services
  let isReady = false
  // Somebody who is signed out somewhere sees it on every page at once.
  db.onWrite(watchedTables, () => live.sweep().catch((error) => log.error({ err: error }, 'live streams not swept')))
  const metricsPage = new MetricsPage(db, dependencies.connections, live)
  const taskList = new TaskList(db, audit, tasks)
  return {
    api: null,
    routes: async (http) => {
      const publicAddressChanges = new PublicAddressChanges(services)
      const own = { metricsPage, taskList, publicAddressChanges, isReady: () => isReady }
      systemRoutes(http, { ...services, ...dependencies, ...own })
      await servePages(http.app, join(dependencies.distDir, 'renderer'), dependencies.logoOrigin)
    },
    jobs: systemJobs(services),
    start: () => {
      isReady = true
    },
    stop: () => {
      isReady = false
    },
  }
}
