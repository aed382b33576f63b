import type { Tenant } from '../../db/tenant.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { Signal } from '../../platform/signal.ts'
import type { Removals } from '../commands/index.ts'
import type { DeviceSignals } from '../devices/index.ts'
import type { Mailer } from '../messaging/index.ts'
import { Archive } from './archive.ts'
import { DeviceSync } from './device-sync.ts'
import { DrainCompletion } from './drain-completion.ts'
import { Drains } from './drains.ts'
import { Erasure } from './erasure.ts'
import { LifecycleEffects } from './lifecycle-effects.ts'
import { OrganizationLife } from './organization-life.ts'
import { PartnerLife } from './partner-life.ts'
import { Purge } from './purge.ts'
import { purgeSteps } from './purge-steps.ts'
import { PurgeWarnings } from './purge-warnings.ts'
import { lifecycleRoutes } from './routes.ts'
import { drainSteps, type SweepStep, tenantSweep } from './sweep.ts'

interface LifecycleDependencies {
  removals: Removals
  signals: Pick<DeviceSignals, 'left'>
  mailer: Mailer
  /** Closes the sockets of devices that may not have one any more. */
  closeSockets: () => Promise<void>
}

export interface LifecycleServices {
  organizationLife: OrganizationLife
  partnerLife: PartnerLife
  erasure: Erasure
  drainCompletion: DrainCompletion
  /** For features that have steps of their own to bring to an end. */
  addSweepStep: (step: SweepStep) => void
}

/** Suspending, archiving, restoring, closing and erasing of tenants. */
export function createLifecycle(services: Services, dependencies: LifecycleDependencies): Module<LifecycleServices> {
  const { config, db, clock, log, audit, secrets, tasks } = services
  const drainBegan = new Signal<Tenant>()
  const deviceSync = new DeviceSync({ ...services, ...dependencies })
  const lifecycleEffects = new LifecycleEffects({ db, clock, deviceSync, drainBegan })
  const organizationLife = new OrganizationLife(db, clock, lifecycleEffects)
  const partnerLife = new PartnerLife(db, clock, lifecycleEffects)
  const drains = new Drains({
    ...services,
    removals: dependencies.removals,
    deviceSync,
    organizations: organizationLife,
    partners: partnerLife,
    windowHours: config.drainWindowHours,
  })
  const drainCompletion = new DrainCompletion(db, clock, log, drains)
  drainBegan.on((tenant) => drainCompletion.checkSoon(tenant))
  dependencies.signals.left.on(({ orgId }) => drainCompletion.deviceLeft(orgId))
  const erasure = new Erasure({ db, clock, audit, tasks, secrets })
  const purge = new Purge({ db, clock, audit, tasks, erasure })
  const warnings = new PurgeWarnings({ db, clock, audit, mailer: dependencies.mailer })
  const defaultRetentionDays = config.archiveRetentionDays
  const archive = new Archive({ db, clock, audit, life: organizationLife, warnings, defaultRetentionDays })
  const sweepSteps = [...drainSteps(drains, deviceSync), ...purgeSteps(warnings, purge)]
  return {
    api: {
      organizationLife,
      partnerLife,
      erasure,
      drainCompletion,
      addSweepStep: (step) => {
        sweepSteps.push(step)
      },
    },
    routes: (http) => lifecycleRoutes(http, { db, clock, archive, drains }),
    jobs: [tenantSweep(log, sweepSteps)],
    start: () => drainCompletion.start(),
    stop: async () => {
      await drainCompletion.stop()
      await deviceSync.stop()
    },
  }
}
