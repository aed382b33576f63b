import type { Tenant } from '../../db/tenant.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { Signal } from '../../platform/signal.ts'
import type { Removals } from '../commands/index.ts'
import type { DeviceSignals } from '../devices/index.ts'
import type { Mailer } from '../messaging/index.ts'
import { Aftermath } from './aftermath.ts'
import { Archive } from './archive.ts'
import { Drains } from './drains.ts'
import { EarlyEnds } from './early-ends.ts'
import { Erasure } from './erasure.ts'
import { OrganizationLife } from './organization-life.ts'
import { PartnerLife } from './partner-life.ts'
import { Purge } from './purge.ts'
import { purgeSteps } from './purge-steps.ts'
import { PurgeWarnings } from './purge-warnings.ts'
import { lifecycleRoutes } from './routes.ts'
import { Settling } from './settling.ts'
import { drainSteps, type SweepStep, tenantSweep } from './sweep.ts'

interface Needs {
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
  earlyEnds: EarlyEnds
  /** For features that have steps of their own to bring to an end. */
  addSweepStep: (step: SweepStep) => void
}

/** Suspending, archiving, restoring, closing and erasing of tenants. */
export function createLifecycle(services: Services, needs: Needs): Module<LifecycleServices> {
  const { config, db, clock, log, audit, secrets, tasks } = services
  const drainBegan = new Signal<Tenant>()
  const settling = new Settling({ ...services, ...needs })
  const aftermath = new Aftermath({ db, clock, settling, drainBegan })
  const organizationLife = new OrganizationLife(db, clock, aftermath)
  const partnerLife = new PartnerLife(db, clock, aftermath)
  const drains = new Drains({
    ...services,
    removals: needs.removals,
    settling,
    organizations: organizationLife,
    partners: partnerLife,
    windowHours: config.drainWindowHours,
  })
  const earlyEnds = new EarlyEnds(db, clock, log, drains)
  drainBegan.on((tenant) => earlyEnds.expect(tenant))
  needs.signals.left.on(({ orgId }) => earlyEnds.deviceLeft(orgId))
  const erasure = new Erasure({ db, clock, audit, tasks, secrets })
  const purge = new Purge({ db, clock, audit, tasks, erasure })
  const warnings = new PurgeWarnings({ db, clock, audit, mailer: needs.mailer })
  const defaultRetentionDays = config.archiveRetentionDays
  const archive = new Archive({ db, clock, audit, life: organizationLife, warnings, defaultRetentionDays })
  const sweepSteps = [...drainSteps(drains, settling), ...purgeSteps(warnings, purge)]
  return {
    api: {
      organizationLife,
      partnerLife,
      erasure,
      earlyEnds,
      addSweepStep: (step) => {
        sweepSteps.push(step)
      },
    },
    routes: (http) => lifecycleRoutes(http, { db, clock, archive, drains }),
    jobs: [tenantSweep(log, sweepSteps)],
    start: () => earlyEnds.start(),
    stop: async () => {
      await earlyEnds.stop()
      await settling.stop()
    },
  }
}
