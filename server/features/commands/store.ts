import { sql } from 'kysely'
import type { AgentRole } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { CommandRow } from './views.ts'

const rows = () =>
  q
    .selectFrom('device_commands')
    .leftJoin('users', 'users.id', 'device_commands.created_by')
    .selectAll('device_commands')
    .select('users.name as created_by_name')

/** How much of a result a list shows: a page of complete ones could be hundreds of megabytes. */
const shownCharacters = 4000
const shownResult = sql<
  string | null
>`case when length(result) <= ${3 * shownCharacters} then result else json_set(result,
  '$.stdout', substr(result ->> '$.stdout', 1, ${shownCharacters}),
  '$.stderr', substr(result ->> '$.stderr', 1, ${shownCharacters}),
  '$.data', null) end`

export const findCommand = (db: Database, deviceId: string, id: string): CommandRow | undefined =>
  db.first(rows().where('device_commands.id', '=', id).where('device_id', '=', deviceId))

export function pageOfCommands(db: Database, deviceId: string, page: number, limit: number) {
  const data = db.all(
    rows()
      .select(shownResult.as('result'))
      .where('device_id', '=', deviceId)
      .orderBy('device_commands.created_at', 'desc')
      .orderBy('device_commands.id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit),
  )
  const total = db.first(
    q
      .selectFrom('device_commands')
      .select((select) => select.fn.countAll<number>().as('total'))
      .where('device_id', '=', deviceId),
  )
  return { data, total: total?.total ?? 0 }
}

/** Takes up to ten pending commands, oldest first, in one statement: two takers never get the same one. */
export function claimCommands(
  db: Database,
  deviceId: string,
  role: AgentRole,
  now: string,
  only: { id?: string | undefined; type?: string | undefined } = {},
): CommandRow[] {
  const pending = q
    .selectFrom('device_commands')
    .select('id')
    .where('device_id', '=', deviceId)
    .where('target_role', '=', role)
    .where('status', '=', 'pending')
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .$if(only.id !== undefined, (query) => query.where('id', '=', only.id ?? ''))
    .$if(only.type !== undefined, (query) => query.where('type', '=', only.type ?? ''))
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
