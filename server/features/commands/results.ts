import type { ReportedResult } from '../../../shared/device/commands.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { unlimitedReach } from '../../db/reach.ts'
import { type DeviceActor, systemActor } from '../../platform/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { DeviceWork } from '../device-connections/index.ts'
import { type Devices, findDevice, surfaceOfOrganization } from '../devices/index.ts'
import { deadlineOf, timeoutError } from './deadlines.ts'
import type { CommandLedger } from './ledger.ts'
import type { OutputPiece } from './live-output.ts'
import { type CommandResult, findCommand, openStatuses, uninstall } from './store.ts'
import type { CommandRow } from './views.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What becomes of commands: the device's result, its output on the way, or the server giving up. */
export class CommandResults {
  readonly #db: Database
  readonly #clock: Clock
  readonly #live: LiveEvents
  readonly #devices: Devices
  readonly #ledger: CommandLedger
  readonly #work: DeviceWork

  constructor(db: Database, clock: Clock, live: LiveEvents, devices: Devices, ledger: CommandLedger, work: DeviceWork) {
    this.#work = work
    this.#db = db
    this.#clock = clock
    this.#live = live
    this.#devices = devices
    this.#ledger = ledger
  }

  /** The first result wins; a second is accepted and ignored. A result after a server-side timeout still counts. */
  submit(actor: DeviceActor, commandId: string, reported: ReportedResult): void {
    // Ids that are no UUID belong to frames without a row, such as `uninstall-…`.
    if (!uuid.test(commandId)) return
    this.#db.transaction(() => {
      const row = findCommand(this.#db, actor.deviceId, commandId)
      if (row) this.#take(actor, row, reported)
      else if (!this.#work.result(actor, commandId, reported)) throw new AppError('command_not_found')
    })
  }

  #take(actor: DeviceActor, row: CommandRow, reported: ReportedResult): void {
    if (row.target_role !== actor.role) throw new AppError('command_role_mismatch')
    if (row.type !== uninstall && surfaceOfOrganization(this.#db, actor.orgId) === 'drain')
      throw new AppError('tenant_offboarding', { message: undefined })
    const isOpen = row.status === 'pending' || row.status === 'sent'
    if (!isOpen && !(row.status === 'failed' && row.timed_out_by_server)) return
    const device = findDevice(this.#db, unlimitedReach, actor.deviceId)
    if (!device) throw new AppError('device_not_found')
    const status = reported.status === 'completed' ? 'completed' : 'failed'
    this.#ledger.finish(device, row, status, resultOf(reported))
    this.#ledger.record(actor, device, 'agent.command.result.submit', row.id, {
      type: row.type,
      status: reported.status,
      exitCode: reported.exitCode ?? null,
    })
    if (row.type === uninstall && status === 'completed')
      this.#devices.decommissionBySystem(actor.deviceId, 'self_uninstall_completed')
  }

  addOutput(actor: DeviceActor, commandId: string, piece: OutputPiece): void {
    const row = findCommand(this.#db, actor.deviceId, commandId)
    if (row?.status !== 'sent' || !this.#ledger.output.add(commandId, piece)) return
    const { deviceId, orgId, siteId } = actor
    this.#live.publish({ type: 'command.output', deviceId, orgId, siteId, commandId, ...piece })
  }

  /** Joins the transaction of whatever ended the device. */
  cancelOpen(deviceId: string, reason: string): void {
    this.#cancel(deviceId, openStatuses, { status: 'cancelled', reason })
  }

  /** Joins the transaction of the move to another organization. Commands that run are left to their results. */
  cancelWaiting(deviceId: string): void {
    const error = 'Canceled because the device was moved to another organization'
    this.#cancel(deviceId, ['pending'], { status: 'cancelled', reason: 'device_moved', error })
  }

  #cancel(deviceId: string, statuses: readonly (typeof openStatuses)[number][], result: CommandResult): void {
    const device = findDevice(this.#db, unlimitedReach, deviceId)
    if (!device) return
    const rows = this.#db.all(
      q.selectFrom('device_commands').selectAll().where('device_id', '=', deviceId).where('status', 'in', statuses),
    )
    for (const row of rows) this.#ledger.finish(device, { ...row, created_by_name: null }, 'cancelled', result)
  }

  /** Gives up on commands no device will answer any more. Returns how many. */
  expire(): number {
    const rows = this.#db.all(
      q
        .selectFrom('device_commands')
        .selectAll()
        .where('status', 'in', openStatuses)
        // Uninstall commands of a drain do not expire before its window closes.
        .where((where) => where.or([where('type', '!=', uninstall), where('reasons', '=', '[]')]))
        .orderBy('created_at'),
    )
    const now = this.#clock.now()
    let expired = 0
    for (const row of rows.filter((row) => now > deadlineOf(row)))
      this.#db.transaction(() => {
        const device = findDevice(this.#db, unlimitedReach, row.device_id)
        if (!device) return
        if (row.type === uninstall && surfaceOfOrganization(this.#db, device.org_id) === 'drain') return
        const result = { status: 'timeout', error: timeoutError(row) }
        this.#ledger.finish(device, { ...row, created_by_name: null }, 'failed', result, true)
        this.#ledger.record(systemActor('commands.expire'), device, 'agent.command.timeout', row.id, { type: row.type })
        expired++
      })
    return expired
  }
}

/** Agent credentials must not be readable in the history of commands. */
const redact = (text: string | null | undefined) => text?.replace(/brz_[0-9a-f]{16,}/gi, 'brz_[redacted]') ?? null

const resultOf = (reported: ReportedResult): CommandResult => ({
  status: reported.status,
  exitCode: reported.exitCode ?? null,
  stdout: reported.stdout ?? null,
  stderr: redact(reported.stderr),
  error: redact(reported.error),
  durationMs:
    reported.durationMs === null || reported.durationMs === undefined ? null : Math.round(reported.durationMs),
  ...(reported.stdout === undefined && reported.result !== undefined && { data: reported.result }),
})
