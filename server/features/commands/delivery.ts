import type { CommandDirective } from '../../../shared/device/heartbeat.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { unlimitedReach } from '../../db/reach.ts'
import { TableCache } from '../../db/table-cache.ts'
import { fromJson } from '../../lib/json.ts'
import type { DeviceActor } from '../../platform/actor.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Connections } from '../device-connections/index.ts'
import { type Device, findDevice, surfaceOfOrganization } from '../devices/index.ts'
import type { CommandLedger } from './ledger.ts'
import { claimCommands } from './store.ts'
import type { CommandRow } from './views.ts'

/** Delivers commands to devices, each at most once: a script must not run twice. */
export class CommandDelivery {
  readonly #db: Database
  readonly #clock: Clock
  readonly #connections: Connections
  readonly #ledger: CommandLedger
  /** Devices for which a command waits, under the one key there is. */
  readonly #waiting: TableCache<Set<string>>

  constructor(db: Database, clock: Clock, connections: Connections, ledger: CommandLedger) {
    this.#db = db
    this.#waiting = new TableCache(db, ['device_commands'], 1)
    this.#clock = clock
    this.#connections = connections
    this.#ledger = ledger
  }

  /** Commands for a device that asks; they count as delivered. While its tenant drains, only its removal is one. */
  claim(actor: DeviceActor): CommandDirective[] {
    if (!this.#isWaiting(actor.deviceId)) return []
    const surface = surfaceOfOrganization(this.#db, actor.orgId)
    if (surface !== 'full' && surface !== 'drain') return []
    const claimed = claimCommands(this.#db, actor.deviceId, actor.role, isoNow(this.#clock), surface)
    for (const row of claimed) this.#ledger.announce(row, actor.orgId, actor.siteId)
    return claimed.map(directive)
  }

  /** Sends what waits for the device over its socket; without one it goes with the next heartbeat. */
  push(deviceId: string, commandId?: string): void {
    if (!this.#connections.isConnected(deviceId)) return
    const device = findDevice(this.#db, unlimitedReach, deviceId)
    if (!device || !this.#mayReceive(device)) return
    for (;;) {
      const claimed = claimCommands(this.#db, deviceId, 'agent', isoNow(this.#clock), 'full', commandId)
      for (const row of claimed) {
        if (this.#connections.send(deviceId, directive(row))) this.#ledger.announce(row, device.org_id, device.site_id)
        else this.#giveBack(row.id)
      }
      if (commandId !== undefined || claimed.length < 10 || !this.#connections.isConnected(deviceId)) return
    }
  }

  #mayReceive(device: Device): boolean {
    const isBarred = device.status === 'decommissioned' || device.status === 'quarantined'
    return !isBarred && surfaceOfOrganization(this.#db, device.org_id) === 'full'
  }

  #giveBack(commandId: string): void {
    this.#db.run(
      q
        .updateTable('device_commands')
        .set({ status: 'pending', executed_at: null })
        .where('id', '=', commandId)
        .where('status', '=', 'sent'),
    )
  }

  #isWaiting(deviceId: string): boolean {
    const waiting = this.#waiting.get('', () => {
      const query = q.selectFrom('device_commands').select('device_id').where('status', '=', 'pending').distinct()
      return new Set(this.#db.all(query).map((row) => row.device_id))
    })
    return waiting.has(deviceId)
  }
}

const directive = (row: CommandRow): CommandDirective => ({
  id: row.id,
  type: row.type,
  payload: fromJson(row.payload),
})
