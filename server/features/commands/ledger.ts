import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { unlimitedReach } from '../../db/reach.ts'
import { toJson } from '../../lib/json.ts'
import type { Actor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { type Device, findDevice } from '../devices/index.ts'
import { LiveOutput } from './live-output.ts'
import { type CommandResult, findCommand, setOutputAside } from './store.ts'
import { type CommandRow, commandView } from './views.ts'

/** Saves changes of commands: the row, the audit event, and live events to browsers that watch. */
export class CommandLedger {
  readonly output = new LiveOutput()
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #live: LiveEvents

  constructor(db: Database, clock: Clock, audit: Audit, live: LiveEvents) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
    this.#live = live
  }

  finish(
    device: Device,
    row: CommandRow,
    status: 'completed' | 'failed' | 'cancelled',
    result: CommandResult,
    timedOut = false,
  ): void {
    this.#db.run(
      q
        .updateTable('device_commands')
        .set({
          status,
          result: toJson(setOutputAside(this.#db, row, result)),
          completed_at: isoNow(this.#clock),
          timed_out_by_server: timedOut ? 1 : 0,
        })
        .where('id', '=', row.id),
    )
    this.#db.afterCommit(() => {
      this.output.forget(row.id)
      const after = findCommand(this.#db, device.id, row.id)
      if (after) this.announce(after, device.org_id, device.site_id)
    })
  }

  announce(row: CommandRow, orgId: string, siteId: string): void {
    if (!this.#live.isWatched(row.device_id)) return
    this.#db.afterCommit(() => {
      const current = findCommand(this.#db, row.device_id, row.id)
      if (current)
        this.#live.publish({
          type: 'command.changed',
          deviceId: row.device_id,
          orgId,
          siteId,
          command: commandView(current),
        })
    })
  }

  /** Many commands changed, on devices that hardly anybody watches. */
  changedMany(commands: readonly { id: string; device_id: string }[]): void {
    for (const { id, device_id } of commands) {
      this.output.forget(id)
      const device = this.#live.isWatched(device_id) && findDevice(this.#db, unlimitedReach, device_id)
      const command = device && findCommand(this.#db, device_id, id)
      if (command) this.announce(command, device.org_id, device.site_id)
    }
  }

  record(actor: Actor, device: Device, action: AuditAction, commandId: string, details: Record<string, unknown>): void {
    this.#audit(actor, {
      action,
      resourceType: 'device',
      resourceId: device.id,
      resourceName: device.display_name ?? device.hostname,
      orgId: device.org_id,
      details: { commandId, ...details },
    })
  }
}
