import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { CommandLedger } from './ledger.ts'
import { openStatuses } from './store.ts'

interface Touched {
  id: string
  device_id: string
}

const those = 'device_id IN (SELECT id FROM devices WHERE seq IN (SELECT value FROM json_each(@seqs)))'
const open = `status IN (${openStatuses.map((status) => `'${status}'`).join(', ')})`
const change = 'UPDATE device_commands INDEXED BY device_commands_open_device SET'
const cancelled = `status = 'cancelled', completed_at = @now,
  result = json_object('status', 'cancelled', 'reason', @because)`

const cancelOthers = `${change} ${cancelled}
  WHERE ${open} AND type <> 'self_uninstall' AND ${those} RETURNING id, device_id`
const withdraw = `${change} ${cancelled}, reasons = '[]'
  WHERE ${open} AND type = 'self_uninstall' AND reasons <> '[]' AND ${those} RETURNING id, device_id`
const restate = `${change} reasons = @reasons
  WHERE ${open} AND type = 'self_uninstall' AND reasons <> @reasons AND ${those} RETURNING id, device_id`
const queue = `INSERT INTO device_commands (id, device_id, type, payload, status, created_at, reasons)
  SELECT fresh.value ->> 1, devices.id, 'self_uninstall', '{"removeConfig":true}', 'pending', @now, @reasons
  FROM json_each(@fresh) AS fresh JOIN devices ON devices.seq = fresh.value ->> 0
  WHERE devices.status <> 'decommissioned' AND NOT EXISTS (
    SELECT 1 FROM device_commands INDEXED BY device_commands_open_device
    WHERE device_id = devices.id AND type = 'self_uninstall' AND ${open}
  ) RETURNING id, device_id`

const ofReason = `FROM device_commands INDEXED BY device_commands_removals
  WHERE type = 'self_uninstall' AND reasons <> '[]' AND instr(reasons, @reason)`
const outcome = `SELECT device_id, max(status = 'completed') AS completed, max(status = 'failed') AS failed,
    max(status = 'pending') AS pending, max(status = 'sent') AS sent
  FROM (SELECT device_id, status ${ofReason} AND completed_at IS NULL
    UNION ALL SELECT device_id, status ${ofReason} AND completed_at >= @since)
  GROUP BY device_id`

type Flags = { device_id: string } & Record<'completed' | 'failed' | 'pending' | 'sent', 0 | 1>

/** How the removals for one reason stand. */
export interface RemovalOutcome {
  completed: number
  /** Tried and failed, and not done since. */
  failed: number
  /** Devices that were not heard of. */
  neverDelivered: string[]
  /** Devices that took the command and said nothing more. */
  deliveredUnconfirmed: string[]
}

/**
 * The agents of a tenant that leaves are asked to remove themselves: many devices in one statement, for there may be
 * thousands. Everything here joins the caller's transaction and may be done twice; `seqs` are `devices.seq`.
 */
export class Removals {
  readonly #db: Database
  readonly #clock: Clock
  readonly #ledger: CommandLedger

  constructor(db: Database, clock: Clock, ledger: CommandLedger) {
    this.#db = db
    this.#clock = clock
    this.#ledger = ledger
  }

  /** One open removal for every device in service, for these reasons and no other, and no other command beside it. */
  request(seqs: readonly number[], reasons: readonly string[]): void {
    const parameters = { seqs: JSON.stringify(seqs), reasons: JSON.stringify(reasons) }
    const fresh = JSON.stringify(seqs.map((seq) => [seq, randomUUIDv7()]))
    this.#run(cancelOthers, { ...parameters, because: 'tenant_offboarding' })
    this.#run(restate, parameters)
    this.#run(queue, { ...parameters, fresh })
  }

  /** No device is asked any more. One that has done so already is gone. */
  withdraw(seqs: readonly number[], because: string): void {
    this.#run(withdraw, { seqs: JSON.stringify(seqs), because })
  }

  /** Counts what was finished since then, an instant, and what is open. */
  outcome(reason: string, since: string): RemovalOutcome {
    const devices = this.#db.statement<Flags>(outcome).all({ reason, since })
    const those = (fits: (device: Flags) => boolean) => devices.filter(fits).map((device) => device.device_id)
    return {
      completed: those(({ completed }) => completed === 1).length,
      failed: those(({ failed, completed }) => failed === 1 && completed === 0).length,
      neverDelivered: those(({ pending }) => pending === 1),
      deliveredUnconfirmed: those(({ sent }) => sent === 1),
    }
  }

  #run(sql: string, parameters: object): void {
    const touched = this.#db.statement<Touched>(sql).all({ ...parameters, now: isoNow(this.#clock) })
    this.#db.afterCommit(() => this.#ledger.changedMany(touched))
  }
}
