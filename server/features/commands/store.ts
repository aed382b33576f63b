import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { AgentRole } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { type CommandRow, commandView } from './views.ts'

/** A command with one of these has not ended. */
export const openStatuses = ['pending', 'sent'] as const

const rows = () =>
  q
    .selectFrom('device_commands')
    .leftJoin('users', 'users.id', 'device_commands.created_by')
    .selectAll('device_commands')
    .select('users.name as created_by_name')

export const findCommand = (db: Database, deviceId: string, id: string): CommandRow | undefined =>
  db.first(rows().where('device_commands.id', '=', id).where('device_id', '=', deviceId))

export interface CommandPage {
  page: number
  limit: number
  /** Only those that have not ended. */
  open?: boolean | undefined
}

/** Newest first. */
export function* pageOfCommands(
  db: Database,
  deviceId: string,
  { page, limit, open = false }: CommandPage,
): Steps<{ data: DeviceCommand[]; total: number }> {
  let wanted = q.selectFrom('device_commands').where('device_id', '=', deviceId)
  if (open) wanted = wanted.where('status', 'in', openStatuses)
  const keys = db.all(
    wanted
      .select('id')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit),
  )
  const total = db.first(wanted.select((select) => select.fn.countAll<number>().as('total')))
  const data = yield* shownInSteps(keys, (some) => readCommands(db, some), commandView)
  return { data, total: total?.total ?? 0 }
}

/** In the order of the keys. */
const readCommands = (db: Database, keys: readonly { id: string }[]): CommandRow[] =>
  db.all(
    rows()
      .where(
        'device_commands.id',
        'in',
        keys.map(({ id }) => id),
      )
      .orderBy('device_commands.created_at', 'desc')
      .orderBy('device_commands.id', 'desc'),
  )

/** The command by which an agent removes itself. */
export const uninstall = 'self_uninstall'

/**
 * Takes up to ten pending commands, oldest first, in one statement: two takers never get the same one. While a tenant
 * drains its devices get their removal only; the removal command of a drain that was called off is not delivered.
 */
export function claimCommands(
  db: Database,
  deviceId: string,
  role: AgentRole,
  now: string,
  surface: 'full' | 'drain',
  id?: string,
): CommandRow[] {
  const pending = q
    .selectFrom('device_commands')
    .select('id')
    .where('device_id', '=', deviceId)
    .where('target_role', '=', role)
    .where('status', '=', 'pending')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .where((where) =>
      surface === 'drain'
        ? where('type', '=', uninstall)
        : where.or([where('type', '!=', uninstall), where('reasons', '=', '[]')]),
    )
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('created_at')
    .orderBy('id')
    .limit(10)
  const claimed = db.write(
    q
      .updateTable('device_commands')
      .set({ status: 'sent', executed_at: now })
      .where('id', 'in', pending)
      .returningAll(),
  )
  return claimed
    .map((row) => ({ ...row, created_by_name: null }))
    .sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
}

/** What came of a command, as its row keeps it. */
export type CommandResult = NonNullable<DeviceCommand['result']>

/** How much of an output a command's own row keeps: lists of commands must stay small. */
const keptCharacters = 4000

/** Puts long output beside the result, and answers the result with its beginning. */
export function setOutputAside(
  db: Database,
  command: { id: string; device_id: string },
  result: CommandResult,
): CommandResult {
  const { stdout, stderr } = result
  if ((stdout?.length ?? 0) <= keptCharacters && (stderr?.length ?? 0) <= keptCharacters) return result
  const output = { stdout: stdout ?? null, stderr: stderr ?? null }
  db.run(
    q
      .insertInto('device_command_outputs')
      .values({ command_id: command.id, device_id: command.device_id, ...output })
      .onConflict((conflict) => conflict.column('command_id').doUpdateSet(output)),
  )
  return { ...result, stdout: output.stdout?.slice(0, keptCharacters), stderr: output.stderr?.slice(0, keptCharacters) }
}

/** Each of them may be megabytes. */
export function* findOutput(
  db: Database,
  commandId: string,
): Steps<{ stdout: string | null; stderr: string | null } | undefined> {
  const outputs = q.selectFrom('device_command_outputs').where('command_id', '=', commandId)
  const first = db.first(outputs.select('stdout'))
  if (!first) return undefined
  yield
  const second = db.first(outputs.select('stderr'))
  yield
  return { stdout: first.stdout, stderr: second?.stderr ?? null }
}
