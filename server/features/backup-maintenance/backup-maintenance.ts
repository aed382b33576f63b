import pLimit from 'p-limit'
import { type Clock, hour } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { DeviceRepositories } from './device-repositories.ts'
import type { DueRepositories } from './due-repositories.ts'
import type { RepositoryMaintenance } from './repository-maintenance.ts'

interface NightServices {
  clock: Clock
  log: Log
  /** The restic of the appliance; null when there is none. */
  findRestic: () => Promise<string | null>
  due: DueRepositories
  maintenance: RepositoryMaintenance
  onDevices: DeviceRepositories
}

/** Local hours of the appliance. */
const [nightBegins, nightEnds] = [1, 5]
const devicesAtOnce = 4

/**
 * Maintains the repositories that are due: one at a time on the appliance, some at a time on devices. One that is in use,
 * or whose device is offline, is left for the next time.
 */
export class BackupMaintenance {
  readonly #services: NightServices
  #hasSaid = false

  constructor(services: NightServices) {
    this.#services = services
  }

  /** Answers how many it has maintained, or tried to. */
  async run(signal: AbortSignal): Promise<number> {
    const { clock, due } = this.#services
    const isEngineHere = await this.#isEngineHere()
    const until = endOf(clock.now())
    const onDevices = pLimit(devicesAtOnce)
    const there: Promise<boolean>[] = []
    let done = 0
    for (const id of await due.ids(signal)) {
      signal.throwIfAborted()
      if (clock.now() >= until) break
      const place = this.#placeOf(id)
      if (place === 'device') there.push(onDevices(() => this.#maintain(id, signal)))
      else if (place !== null && isEngineHere && (await this.#maintain(id, signal))) done++
    }
    const ofDevices = await Promise.allSettled(there)
    signal.throwIfAborted()
    return done + ofDevices.filter((one) => one.status === 'fulfilled' && one.value).length
  }

  #placeOf(id: string) {
    const { due, maintenance } = this.#services
    const row = due.find(id)
    return row ? maintenance.placeOf(row) : null
  }

  async #maintain(id: string, signal: AbortSignal): Promise<boolean> {
    const { due, maintenance, onDevices } = this.#services
    // Read now: another one may have taken hours.
    const row = due.find(id)
    const place = row ? maintenance.placeOf(row) : null
    if (!row || place === null || (place === 'device' && !onDevices.isReachable(row))) return false
    return maintenance.run(row, place, signal)
  }

  /** Said once, not every hour. */
  async #isEngineHere(): Promise<boolean> {
    const { findRestic, log } = this.#services
    const isHere = (await findRestic()) !== null
    if (!isHere && !this.#hasSaid)
      log.warn('The appliance has no restic, so the data of expired snapshots stays where it is')
    this.#hasSaid = !isHere
    return isHere
  }
}

/** When no other repository is begun: in the morning, or four hours later for somebody who starts it by day. */
function endOf(now: number): number {
  const date = new Date(now)
  if (date.getHours() < nightBegins || date.getHours() >= nightEnds) return now + (nightEnds - nightBegins) * hour
  return date.setHours(nightEnds, 0, 0, 0)
}
