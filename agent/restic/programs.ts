import { jittered } from '../../shared/backoff.ts'
import {
  findInstalledRestic,
  type ProgramEnvironment,
  type ResticProgram,
  resticVersion,
} from '../../shared/node/restic.ts'
import type { ComponentClient } from '../components/component-client.ts'
import { DeliveredProgram } from '../components/delivered-program.ts'
import { reasonOf } from '../failure.ts'
import type { Log } from '../log.ts'

/** The restic that this device has: one that is installed on it, otherwise the one that the appliance delivered. */
export interface ResticPrograms {
  /** Looked for again when it is asked for: somebody may have installed one meanwhile. */
  find(): Promise<ResticProgram | null>
  /** What was found last. */
  known(): ResticProgram | null
  /** While it is held, no newer one takes its place; for the time of a run. */
  hold(): () => void
  /** Resolves once it was looked for on this device. */
  ready: Promise<unknown>
  /** Looks, and asks the appliance if there is none on the device; at most once an hour. */
  refreshDue(): Promise<void>
}

interface Using {
  /** Private; for what the appliance delivers. */
  folder: string
  source: ComponentClient
  log: Log
  /** There is one now, or another one. */
  onChange(): void
  environment?: ProgramEnvironment
}

const everyMs = 60 * 60_000

export function createResticPrograms(using: Using): ResticPrograms {
  const { folder, source, log, onChange, environment = process.env } = using
  const delivered = new DeliveredProgram({ component: 'restic', folder, versionOf: resticVersion, log })
  let found: ResticProgram | null = null
  let isInstalled = false
  let dueAt = Number.NEGATIVE_INFINITY
  let refreshing: Promise<void> | null = null
  const opened = delivered.open().catch((error) => log.error(`components: ${reasonOf(error)}`))

  async function find(): Promise<ResticProgram | null> {
    await opened
    const installed = await findInstalledRestic(environment)
    isInstalled = installed !== null
    found = installed ?? delivered.current
    return found
  }

  async function refresh(): Promise<void> {
    const before = found
    await find()
    if (!isInstalled) {
      const offer = await source.offer()
      if (offer) await delivered.take(offer, source.fetch)
      found = delivered.current
    }
    if (found?.version !== before?.version) onChange()
  }

  return {
    find,
    known: () => found,
    hold: () => delivered.hold(),
    ready: find(),
    refreshDue() {
      if (refreshing || performance.now() < dueAt) return refreshing ?? Promise.resolve()
      dueAt = performance.now() + jittered(everyMs, 0.05)
      refreshing = refresh()
        .catch((error) => log.warn(`components: restic: ${reasonOf(error)}`))
        .finally(() => {
          refreshing = null
        })
      return refreshing
    },
  }
}
