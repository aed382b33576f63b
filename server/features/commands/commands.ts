import { randomUUIDv7 } from 'node:crypto'
import type { listCommands, queueCommands, readCommand, runScript, runScripts } from '../../../shared/api/commands.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { isOperable } from '../../db/org-status.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, iso, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { TaskQueue, Tasks } from '../../platform/tasks/index.ts'
import type { Connections } from '../device-connections/index.ts'
import { type Device, type Devices, onEachDevice, surfaceOfOrganization } from '../devices/index.ts'
import { waitMs } from './deadlines.ts'
import type { CommandDelivery } from './delivery.ts'
import type { CommandLedger } from './ledger.ts'
import { type CommandPage, findCommand, findOutput, openStatuses, pageOfCommands } from './store.ts'
import { type CommandRow, commandView } from './views.ts'

interface CommandServices {
  db: Database
  clock: Clock
  tasks: Tasks
  connections: Connections
  devices: Devices
  delivery: CommandDelivery
  ledger: CommandLedger
}

/** What people do with commands: queue, watch, cancel. */
export class Commands {
  readonly #services: CommandServices
  readonly #pushes: TaskQueue<{ deviceId: string; commandId: string }>

  constructor(services: CommandServices) {
    this.#services = services
    this.#pushes = services.tasks.register({
      name: 'command.push',
      description: 'Sends a command to a connected device',
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      effect: ({ deviceId, commandId }) => services.delivery.push(deviceId, commandId),
    })
  }

  queue(actor: UserActor, deviceId: string, type: string, payload?: Record<string, unknown>) {
    return this.#queue(actor, deviceId, plainCommand(type, payload))
  }

  queueSeveral(actor: UserActor, { deviceIds, type, payload }: BodyOf<typeof queueCommands>) {
    return this.#queueSeveral(actor, deviceIds, plainCommand(type, payload))
  }

  runScript(actor: UserActor, deviceId: string, script: BodyOf<typeof runScript>) {
    return this.#queue(actor, deviceId, scriptCommand(script))
  }

  runScripts(actor: UserActor, { deviceIds, ...script }: BodyOf<typeof runScripts>) {
    return this.#queueSeveral(actor, deviceIds, scriptCommand(script))
  }

  *list(actor: UserActor, deviceId: string, wanted: CommandPage): Steps<ReplyOf<typeof listCommands>> {
    const device = this.#services.devices.find(actor, deviceId)
    const { data, total } = yield* pageOfCommands(this.#services.db, device.id, wanted)
    return { data, pagination: { page: wanted.page, limit: wanted.limit, total } }
  }

  *read(actor: UserActor, deviceId: string, commandId: string): Steps<ReplyOf<typeof readCommand>> {
    const row = this.#find(this.#services.devices.find(actor, deviceId).id, commandId)
    const command = commandView(row)
    const whole = command.result && (yield* findOutput(this.#services.db, commandId))
    const result = command.result && { ...command.result, ...whole }
    return { data: { ...command, result, output: this.#services.ledger.output.of(commandId) } }
  }

  /** A pending command is never delivered; a running script is told to stop. */
  cancel(actor: UserActor, deviceId: string, commandId: string) {
    return this.#services.db.transaction(() => {
      const device = this.#services.devices.findOperable(actor, deviceId)
      const before = this.#find(device.id, commandId)
      if (before.status !== 'pending' && before.status !== 'sent') throw new AppError('command_finished')
      const [stdout, stderr] = [
        this.#services.ledger.output.text(commandId, 'stdout'),
        this.#services.ledger.output.text(commandId, 'stderr'),
      ]
      this.#services.ledger.finish(device, before, 'cancelled', {
        status: 'cancelled',
        reason: 'user',
        error: `Canceled by ${actor.name}`,
        ...(stdout && { stdout }),
        ...(stderr && { stderr }),
      })
      this.#services.ledger.record(actor, device, 'agent.command.cancel', commandId, { type: before.type })
      if (before.status === 'sent' && before.type === 'script')
        this.#services.db.afterCommit(() =>
          this.#services.connections.send(device.id, {
            id: `script-cancel-${commandId}`,
            type: 'script_cancel',
            payload: { commandId, executionId: commandId },
          }),
        )
      return { data: commandView(this.#find(device.id, commandId)) }
    })
  }

  async #queueSeveral(actor: UserActor, deviceIds: readonly string[], command: NewCommand) {
    // Not the payloads: five hundred scripts would be a hundred megabytes.
    const queue = (deviceId: string) => {
      const { id, type, status, createdAt } = this.#queue(actor, deviceId, command)
      return { id, deviceId, type, status, createdAt }
    }
    const { done, failed, skipped } = await onEachDevice(this.#services.db, actor, deviceIds, queue)
    return { commands: done, failed, skipped }
  }

  #queue(actor: UserActor, deviceId: string, { details, ...command }: NewCommand) {
    const { db, clock } = this.#services
    return db.transaction(() => {
      const device = this.#services.devices.findWritable(actor, deviceId)
      this.#assertCommandable(device)
      if (command.type === 'refresh_inventory') this.#assertNoneOpen(device.id, command.type)
      const id = randomUUIDv7()
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
      this.#pushes.add({ input: { deviceId: device.id, commandId: id } })
      this.#services.ledger.record(actor, device, `agent.command.${command.type}`, id, details)
      const row = this.#find(device.id, id)
      this.#services.ledger.announce(row, device.org_id, device.site_id)
      return commandView(row)
    })
  }

  #assertCommandable(device: Device): void {
    if (device.status === 'decommissioned') throw new AppError('device_decommissioned_no_commands')
    if (device.status === 'quarantined') throw new AppError('device_quarantined')
    const { db } = this.#services
    if (surfaceOfOrganization(db, device.org_id) === 'full') return
    const tenant = db.first(
      q
        .selectFrom('organizations')
        .innerJoin('partners', 'partners.id', 'organizations.partner_id')
        .select(['organizations.status', 'partners.status as partner_status'])
        .where('organizations.id', '=', device.org_id),
    )
    if (tenant?.status === 'suspended') throw new AppError('ORG_SUSPENDED')
    throw tenant && isOperable(tenant.status)
      ? new AppError('ORG_NOT_OPERABLE', { error: 'The company is not active', currentStatus: tenant.partner_status })
      : new AppError('ORG_NOT_OPERABLE', { currentStatus: tenant?.status })
  }

  #assertNoneOpen(deviceId: string, type: string): void {
    const waiting = this.#services.db.first(
      q
        .selectFrom('device_commands')
        .select('id')
        .where('device_id', '=', deviceId)
        .where('type', '=', type)
        .where('status', 'in', openStatuses),
    )
    if (waiting) throw new AppError('ALREADY_PENDING', { commandId: waiting.id })
  }

  #find(deviceId: string, commandId: string): CommandRow {
    const row = findCommand(this.#services.db, deviceId, commandId)
    if (!row) throw new AppError('command_not_found')
    return row
  }
}

interface NewCommand extends Pick<CommandRow, 'type' | 'payload'> {
  /** For the audit log. */
  details: Record<string, unknown>
}

function plainCommand(type: string, payload: Record<string, unknown> = {}): NewCommand {
  if (type === 'script') throw new AppError('use_script_api')
  return { type, payload: toJson(payload), details: {} }
}

function scriptCommand({ language, content, timeoutSeconds = 300 }: BodyOf<typeof runScript>): NewCommand {
  return {
    type: 'script',
    payload: toJson({ language, content, timeoutSeconds }),
    details: { language, timeoutSeconds, characters: content.length },
  }
}
