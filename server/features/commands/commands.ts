import { randomUUIDv7 } from 'node:crypto'
import type { runScript } from '../../../shared/api/commands.ts'
import type { ReportedResult } from '../../../shared/device/commands.ts'
import type { CommandDirective } from '../../../shared/device/heartbeat.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { unlimitedReach } from '../../db/tenancy.ts'
import { type DeviceActor, systemActor, type UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, iso, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Outbox } from '../../platform/outbox.ts'
import type { Connections } from '../connections/index.ts'
import { type Device, type Devices, findDevice, surfaceOfOrganization } from '../devices/index.ts'
import { LiveOutput, type OutputPiece } from './live-output.ts'
import { deadlineOf, timeoutError, waitMs } from './stale.ts'
import { claimCommands, findCommand, pageOfCommands } from './store.ts'
import { type CommandRow, commandView } from './views.ts'

interface Deps {
  db: Database
  clock: Clock
  audit: Audit
  live: LiveEvents
  outbox: Outbox
  connections: Connections
  devices: Devices
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const pushKind = 'command.push'
const uninstall = 'self_uninstall'
/** Delivering more than once is worse than not at all: an open command is one of these. */
const open = ['pending', 'sent'] as const

export class Commands {
  readonly #deps: Deps
  readonly #output = new LiveOutput()
  #waiting = new Set<string>()
  #waitingVersion = -1

  constructor(deps: Deps) {
    this.#deps = deps
    deps.outbox.handle<{ deviceId: string; commandId: string }>(pushKind, ({ deviceId, commandId }) =>
      this.push(deviceId, commandId),
    )
  }

  queue(actor: UserActor, deviceId: string, type: string, payload: Record<string, unknown> = {}) {
    if (type === 'script') throw new AppError('use_script_api')
    return this.#queue(actor, deviceId, type, payload, {})
  }

  runScript(actor: UserActor, deviceId: string, script: BodyOf<typeof runScript>) {
    const payload = { ...script, timeoutSeconds: script.timeoutSeconds ?? 300 }
    const details = {
      language: script.language,
      timeoutSeconds: payload.timeoutSeconds,
      characters: script.content.length,
    }
    return this.#queue(actor, deviceId, 'script', payload, details)
  }

  list(actor: UserActor, deviceId: string, page: number, limit: number) {
    const device = this.#deps.devices.find(actor, deviceId)
    const { data, total } = pageOfCommands(this.#deps.db, device.id, page, limit)
    return { data: data.map(commandView), pagination: { page, limit, total } }
  }

  read(actor: UserActor, deviceId: string, commandId: string) {
    const row = this.#find(this.#deps.devices.find(actor, deviceId).id, commandId)
    return { data: { ...commandView(row), output: this.#output.of(commandId) } }
  }

  /** A pending command is never delivered; a running script is told to stop. */
  cancel(actor: UserActor, deviceId: string, commandId: string) {
    const device = this.#deps.devices.find(actor, deviceId)
    return this.#deps.db.transaction(() => {
      const before = this.#find(device.id, commandId)
      if (before.status !== 'pending' && before.status !== 'sent') throw new AppError('command_finished')
      const [stdout, stderr] = [this.#output.text(commandId, 'stdout'), this.#output.text(commandId, 'stderr')]
      this.#finish(device, before, 'cancelled', {
        status: 'cancelled',
        reason: 'user',
        error: `Cancelled by ${actor.name}`,
        ...(stdout && { stdout }),
        ...(stderr && { stderr }),
      })
      this.#record(actor, device, 'agent.command.cancel', commandId, { type: before.type })
      if (before.status === 'sent' && before.type === 'script')
        this.#deps.db.afterCommit(() =>
          this.#deps.connections.send(device.id, {
            id: `script-cancel-${commandId}`,
            type: 'script_cancel',
            payload: { commandId, executionId: commandId },
          }),
        )
      return { data: commandView(this.#find(device.id, commandId)) }
    })
  }

  /** Commands for a device that asks; they count as delivered. While its tenant drains, only its removal is one. */
  claim(actor: DeviceActor): CommandDirective[] {
    const { db, clock } = this.#deps
    if (!this.#isWaiting(actor.deviceId)) return []
    const surface = surfaceOfOrganization(db, actor.orgId)
    if (surface !== 'full' && surface !== 'drain') return []
    const only = surface === 'drain' ? { type: uninstall } : {}
    const claimed = claimCommands(db, actor.deviceId, actor.role, isoNow(clock), only)
    for (const row of claimed) this.#announce(row, actor.orgId, actor.siteId)
    return claimed.map(directive)
  }

  /** Sends what waits for the device over its socket; without one it goes with the next heartbeat. */
  push(deviceId: string, commandId?: string): void {
    const { db, clock, connections } = this.#deps
    if (!connections.isConnected(deviceId)) return
    const device = findDevice(db, unlimitedReach, deviceId)
    if (!device || !this.#mayReceive(device)) return
    for (;;) {
      const claimed = claimCommands(db, deviceId, 'agent', isoNow(clock), { id: commandId })
      for (const row of claimed) {
        if (connections.send(deviceId, directive(row))) this.#announce(row, device.org_id, device.site_id)
        else this.#giveBack(row.id)
      }
      if (commandId !== undefined || claimed.length < 10 || !connections.isConnected(deviceId)) return
    }
  }

  /** The first result wins; a second is accepted and ignored. A result after a server-side timeout still counts. */
  submit(actor: DeviceActor, commandId: string, reported: ReportedResult): void {
    // Ids that are no UUID belong to things without a row.
    if (!uuid.test(commandId)) return
    const { db, devices } = this.#deps
    db.transaction(() => {
      const row = findCommand(db, actor.deviceId, commandId)
      if (!row) throw new AppError('command_not_found')
      if (row.target_role !== actor.role) throw new AppError('command_role_mismatch')
      const isOpen = row.status === 'pending' || row.status === 'sent'
      if (!isOpen && !(row.status === 'failed' && row.timed_out_by_server)) return
      const device = findDevice(db, unlimitedReach, actor.deviceId) as Device
      const status = reported.status === 'completed' ? 'completed' : 'failed'
      this.#finish(device, row, status, resultOf(reported))
      this.#record(actor, device, 'agent.command.result.submit', commandId, {
        type: row.type,
        status: reported.status,
        exitCode: reported.exitCode ?? null,
      })
      if (row.type === uninstall && status === 'completed')
        devices.decommissionBySystem(actor.deviceId, 'self_uninstall_completed')
    })
  }

  addOutput(actor: DeviceActor, commandId: string, piece: OutputPiece): void {
    const row = findCommand(this.#deps.db, actor.deviceId, commandId)
    if (row?.status !== 'sent' || !this.#output.add(commandId, piece)) return
    const { deviceId, orgId, siteId } = actor
    this.#deps.live.publish({ type: 'command.output', deviceId, orgId, siteId, commandId, ...piece })
  }

  /** Joins the transaction of whatever ended the device. */
  cancelOpen(deviceId: string, reason: string): void {
    const { db } = this.#deps
    const device = findDevice(db, unlimitedReach, deviceId)
    if (!device) return
    const rows = db.all(
      q.selectFrom('device_commands').selectAll().where('device_id', '=', deviceId).where('status', 'in', open),
    )
    for (const row of rows)
      this.#finish(device, { ...row, created_by_name: null }, 'cancelled', { status: 'cancelled', reason })
  }

  /** Gives up on commands no device will answer any more. Returns how many. */
  expire(): number {
    const { db, clock } = this.#deps
    const rows = db.all(q.selectFrom('device_commands').selectAll().where('status', 'in', open).orderBy('created_at'))
    const now = clock.now()
    let expired = 0
    for (const row of rows.filter((row) => now > deadlineOf(row)))
      db.transaction(() => {
        const device = findDevice(db, unlimitedReach, row.device_id)
        if (!device) return
        // A draining tenant waits for its window, not for the patience of a command.
        if (row.type === uninstall && surfaceOfOrganization(db, device.org_id) === 'drain') return
        const result = { status: 'timeout', error: timeoutError(row) }
        this.#finish(device, { ...row, created_by_name: null }, 'failed', result, true)
        this.#record(systemActor('commands.expire'), device, 'agent.command.timeout', row.id, { type: row.type })
        expired++
      })
    return expired
  }

  #queue(
    actor: UserActor,
    deviceId: string,
    type: string,
    payload: Record<string, unknown>,
    details: Record<string, unknown>,
  ) {
    const { db, clock, outbox } = this.#deps
    return db.transaction(() => {
      const device = this.#deps.devices.find(actor, deviceId)
      this.#assertCommandable(device)
      if (type === 'refresh_inventory') this.#assertNoneOpen(device.id, type)
      const id = randomUUIDv7()
      const command = { type, payload: JSON.stringify(payload) }
      db.run(
        q.insertInto('device_commands').values({
          id,
          device_id: device.id,
          ...command,
          status: 'pending',
          created_by: actor.userId,
          created_at: isoNow(clock),
          expires_at: iso(clock.now() + waitMs(command)),
        }),
      )
      outbox.add(pushKind, { deviceId: device.id, commandId: id })
      this.#record(actor, device, `agent.command.${type}`, id, details)
      const row = this.#find(device.id, id)
      this.#announce(row, device.org_id, device.site_id)
      return commandView(row)
    })
  }

  #assertCommandable(device: Device): void {
    if (device.status === 'decommissioned') throw new AppError('device_decommissioned_no_commands')
    if (device.status === 'quarantined') throw new AppError('device_quarantined')
    const { db } = this.#deps
    if (surfaceOfOrganization(db, device.org_id) === 'full') return
    const org = db.first(q.selectFrom('organizations').select('status').where('id', '=', device.org_id))
    throw org?.status === 'suspended'
      ? new AppError('ORG_SUSPENDED')
      : new AppError('ORG_NOT_OPERABLE', { currentStatus: org?.status })
  }

  #assertNoneOpen(deviceId: string, type: string): void {
    const waiting = this.#deps.db.first(
      q
        .selectFrom('device_commands')
        .select('id')
        .where('device_id', '=', deviceId)
        .where('type', '=', type)
        .where('status', 'in', open),
    )
    if (waiting) throw new AppError('ALREADY_PENDING', { commandId: waiting.id })
  }

  #mayReceive(device: Device): boolean {
    const isBarred = device.status === 'decommissioned' || device.status === 'quarantined'
    return !isBarred && surfaceOfOrganization(this.#deps.db, device.org_id) === 'full'
  }

  #giveBack(commandId: string): void {
    this.#deps.db.run(
      q
        .updateTable('device_commands')
        .set({ status: 'pending', executed_at: null })
        .where('id', '=', commandId)
        .where('status', '=', 'sent'),
    )
  }

  #finish(
    device: Device,
    row: CommandRow,
    status: 'completed' | 'failed' | 'cancelled',
    result: Record<string, unknown>,
    timedOut = false,
  ): void {
    const { db, clock } = this.#deps
    db.run(
      q
        .updateTable('device_commands')
        .set({
          status,
          result: JSON.stringify(result),
          completed_at: isoNow(clock),
          timed_out_by_server: timedOut ? 1 : 0,
        })
        .where('id', '=', row.id),
    )
    db.afterCommit(() => {
      this.#output.forget(row.id)
      const after = findCommand(db, device.id, row.id)
      if (after) this.#announce(after, device.org_id, device.site_id)
    })
  }

  #isWaiting(deviceId: string): boolean {
    const version = this.#deps.db.version(['device_commands'])
    if (version !== this.#waitingVersion) {
      const rows = this.#deps.db.all(
        q.selectFrom('device_commands').select('device_id').where('status', '=', 'pending').distinct(),
      )
      this.#waiting = new Set(rows.map((row) => row.device_id))
      this.#waitingVersion = version
    }
    return this.#waiting.has(deviceId)
  }

  #find(deviceId: string, commandId: string): CommandRow {
    const row = findCommand(this.#deps.db, deviceId, commandId)
    if (!row) throw new AppError('command_not_found')
    return row
  }

  #announce(row: CommandRow, orgId: string, siteId: string): void {
    const { db, live } = this.#deps
    if (!live.isWatched(row.device_id)) return
    db.afterCommit(() => {
      const current = findCommand(db, row.device_id, row.id)
      if (current)
        live.publish({ type: 'command.changed', deviceId: row.device_id, orgId, siteId, command: commandView(current) })
    })
  }

  #record(
    actor: UserActor | DeviceActor | ReturnType<typeof systemActor>,
    device: Device,
    action: string,
    commandId: string,
    details: Record<string, unknown>,
  ): void {
    this.#deps.audit(actor, {
      action,
      resourceType: 'device',
      resourceId: device.id,
      resourceName: device.display_name ?? device.hostname,
      orgId: device.org_id,
      details: { commandId, ...details },
    })
  }
}

const directive = (row: CommandRow): CommandDirective => ({
  id: row.id,
  type: row.type,
  payload: JSON.parse(row.payload) as Record<string, unknown>,
})

/** Agent credentials must not be readable in the history of commands. */
const redact = (text: string | null | undefined) => text?.replace(/brz_[0-9a-f]{16,}/gi, 'brz_[redacted]') ?? null

const resultOf = (reported: ReportedResult): Record<string, unknown> => ({
  status: reported.status,
  exitCode: reported.exitCode ?? null,
  stdout: reported.stdout ?? null,
  stderr: redact(reported.stderr),
  error: redact(reported.error),
  durationMs:
    reported.durationMs === null || reported.durationMs === undefined ? null : Math.round(reported.durationMs),
  ...(reported.stdout === undefined && reported.result !== undefined && { data: reported.result }),
})
