import type { ReportedResult } from '../../../shared/device/commands.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import { Signal } from '../../platform/signal.ts'

/** Takes the result of work of its own; false for what is not its. */
type TakeResult = (actor: DeviceActor, id: string, reported: ReportedResult) => boolean

/** Work that devices get over their socket and that has rows of its own, unlike commands: backups and restores. */
export class DeviceWork {
  /** A device has a socket now, and may be given work. */
  readonly connected = new Signal<{ deviceId: string }>()
  readonly progress = new Signal<{ actor: DeviceActor; id: string; progress: unknown }>()
  readonly #takers: TakeResult[] = []

  takeResults(take: TakeResult): void {
    this.#takers.push(take)
  }

  /** False when nobody has work of this id. */
  result(actor: DeviceActor, id: string, reported: ReportedResult): boolean {
    return this.#takers.some((take) => take(actor, id, reported))
  }
}
