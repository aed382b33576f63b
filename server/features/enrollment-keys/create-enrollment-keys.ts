import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Connections } from '../device-connections/index.ts'
import type { Inventory } from '../inventory/index.ts'
import type { Sites } from '../sites/index.ts'
import { Enrollment } from './enroll.ts'
import { EnrollmentKeys } from './keys.ts'
import { enrollmentRoutes } from './routes.ts'

interface EnrollmentKeysDependencies {
  connections: Connections
  inventory: Inventory
  sites: Sites
}

/** Enrollment keys, and the enrollment of a device with one. */
export function createEnrollmentKeys(services: Services, dependencies: EnrollmentKeysDependencies): Module<null> {
  const { config, tls } = services
  const keys = new EnrollmentKeys({ ...services, ...dependencies })
  const enrollment = new Enrollment({ ...services, ...dependencies, enrollmentSecret: config.enrollmentSecret })
  const { heartbeatIntervalSeconds } = config
  const caPem = () => tls?.caPem() ?? null
  return {
    api: null,
    routes: (http) => enrollmentRoutes(http, keys, enrollment, { heartbeatIntervalSeconds, caPem }),
  }
}
