import { type changeDeviceTags, maxTags, type setDevicesMaintenance } from '../../../shared/api/devices.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { fromJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { Devices } from './devices.ts'
import { onEachDevice } from './several.ts'

/** Changes of several devices: each of them as if it had been changed alone. */
export class SeveralChanges {
  readonly #db: Database
  readonly #devices: Devices

  constructor(db: Database, devices: Devices) {
    this.#db = db
    this.#devices = devices
  }

  setMaintenance(actor: UserActor, { deviceIds, ...wanted }: BodyOf<typeof setDevicesMaintenance>) {
    return this.#change(actor, deviceIds, (id) => {
      if (!wanted.enable && this.#devices.findOperable(actor, id).status !== 'maintenance')
        throw new AppError('device_unchanged')
      this.#devices.setMaintenance(actor, id, wanted)
    })
  }

  /** A tag that is added and removed is added. */
  changeTags(actor: UserActor, { deviceIds, add = [], remove = [] }: BodyOf<typeof changeDeviceTags>) {
    return this.#change(actor, deviceIds, (id) => {
      const before = fromJson(this.#devices.findOperable(actor, id).tags)
      const tags = [...new Set([...before.filter((tag) => !remove.includes(tag)), ...add])]
      if (tags.length === before.length && tags.every((tag) => before.includes(tag)))
        throw new AppError('device_unchanged')
      if (tags.length > maxTags) throw new AppError('device_tags_full')
      this.#devices.update(actor, id, { tags })
    })
  }

  async #change(
    actor: UserActor,
    deviceIds: readonly string[],
    change: (id: string) => void,
  ): Promise<ReplyOf<typeof changeDeviceTags>> {
    const { done, failed, skipped } = await onEachDevice(this.#db, actor, deviceIds, (id) => {
      change(id)
      return id
    })
    return { changed: done, failed, skipped }
  }
}
