import type { devicePresence } from '../../../shared/api/device-presence.ts'
import type { DeviceStatus } from '../../../shared/api/devices.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { inPieces, type Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso, minute } from '../../platform/clock.ts'

type Answer = ReplyOf<typeof devicePresence>

interface Change {
  at: string
  status: DeviceStatus
}

/** A device that comes and goes all day would make an answer of a megabyte. */
const maxChanges = 150
const slotMs = 10 * minute

/** Also the last one before the time asked for, which tells what was then. */
const changesOfOne = `SELECT at, status FROM device_presence
  WHERE device_id = @id AND at <= @until AND at >= coalesce(
    (SELECT max(at) FROM device_presence WHERE device_id = @id AND at <= @since), '')
  ORDER BY at`
const following = `SELECT device_id, at FROM device_presence WHERE (device_id, at) > (?, ?)
  ORDER BY device_id, at LIMIT ?`

/** When devices were in which status. Triggers write it down, in the transaction of every change. */
export class PresenceHistory {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Of those of the devices that the actor reaches. */
  *lastDay(actor: UserActor, ids: readonly string[]): Steps<Answer> {
    const now = this.#clock.now()
    const [since, until] = [iso(now - day), iso(now)]
    const visible = withinReach(actor, 'devices').compile(q)
    const devices = this.#db
      .statement<{ id: string }>(
        `SELECT id FROM devices WHERE id IN (SELECT value FROM json_each(?)) AND ${visible.sql}`,
      )
      .all(JSON.stringify(ids), ...visible.parameters)
    const data: Answer['data'] = []
    for (const { id } of devices) {
      const changes = this.#db.statement<Change>(changesOfOne).all({ id, since, until })
      data.push({ deviceId: id, changes: fewer(changes).map((change) => withinDay(change, since)) })
      yield
    }
    return { since, until, data }
  }

  /** Deletes what is older than a day, except for the last change before it, which tells what was then. */
  async prune(signal: AbortSignal): Promise<void> {
    const oldest = iso(this.#clock.now() - day)
    const read = this.#db.statement<{ device_id: string; at: string }>(following)
    let last = { device_id: '', at: '' }
    await inPieces(signal, (maxRows) =>
      this.#db.transaction(() => {
        const rows = read.all(last.device_id, last.at, maxRows)
        for (const row of rows) {
          if (row.device_id === last.device_id && row.at <= oldest) this.#delete(last)
          last = row
        }
        return rows.length
      }),
    )
  }

  #delete({ device_id, at }: { device_id: string; at: string }): void {
    this.#db.statement('DELETE FROM device_presence WHERE device_id = ? AND at = ?').run(device_id, at)
  }
}

const withinDay = ({ at, status }: Change, since: string): Change => ({ at: at < since ? since : at, status })

/** Of very many changes, those that were still true at the end of their ten minutes. */
function fewer(changes: Change[]): Change[] {
  if (changes.length <= maxChanges) return changes
  const slots = changes.map(({ at }) => Math.floor(Date.parse(at) / slotMs))
  return changes.filter((_, n) => n === 0 || slots[n] !== slots[n + 1])
}
