import { setImmediate } from 'node:timers/promises'
import type { Job } from '../../platform/jobs.ts'
import type { Log } from '../../platform/log.ts'
import type { DeviceSync } from './device-sync.ts'
import type { Drains } from './drains.ts'

export interface SweepStep {
  name: string
  /** The tenants it has something to do for, asked only when the steps before it are done. */
  due(): { id: string; run(signal: AbortSignal): void | Promise<void> }[]
}

export const sweepStep = <T extends { id: string }>({
  name,
  due,
  run,
}: {
  name: string
  due(): readonly T[]
  run(tenant: T, signal: AbortSignal): void | Promise<void>
}): SweepStep => ({
  name,
  due: () => due().map((tenant) => ({ id: tenant.id, run: (signal) => run(tenant, signal) })),
})

/** First: other steps look at what has ended. */
export const drainSteps = (drains: Drains, deviceSync: DeviceSync): SweepStep[] => [
  sweepStep({ name: 'drain', due: () => drains.list(), run: (tenant, signal) => drains.advance(tenant, signal) }),
  sweepStep({
    name: 'settle',
    due: () => deviceSync.pending(),
    run: (tenant, signal) => deviceSync.sync(tenant, signal),
  }),
]

/** Each tenant by itself: what fails for one is logged, fails the run in the end, and holds up nobody. */
export function tenantSweep(log: Log, steps: readonly SweepStep[]): Job {
  return {
    name: 'tenants.sweep',
    description: 'Finishes pending closures and archivals',
    schedule: '40 */5 * * * *',
    runsAtStart: true,
    run: async (signal) => {
      const failures: unknown[] = []
      for (const step of steps)
        for (const tenant of step.due()) {
          // Each is a transaction or more, and there may be hundreds.
          await setImmediate()
          if (signal.aborted) return
          try {
            await tenant.run(signal)
          } catch (error) {
            if (signal.aborted) return
            log.error({ err: error, step: step.name, tenant: tenant.id }, 'A tenant could not be swept')
            failures.push(error)
          }
        }
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} tenants could not be swept`)
    },
  }
}
