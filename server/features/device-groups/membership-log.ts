import { sql } from 'kysely'
import type { membershipLog } from '../../../shared/api/device-groups.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { inPieces, type Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso, isoNow } from '../../platform/clock.ts'
import { findGroupToRead } from './group-access.ts'
import type { DeviceGroupLogTable } from './tables.ts'

const keptMs = 90 * day
/** Of one group. A rule about load or presence may turn thousands of devices in and out every day. */
const maxEntriesPerGroup = 20_000

/** Entries read in a step of a list. */
const entriesPerStep = 1000

/** Why devices come or go, and who wanted it: nobody where a rule decides. */
export interface Cause {
  reason: DeviceGroupLogTable['reason']
  by: string | null
}
export const byMatch: Cause = { reason: 'filter_match', by: null }
export const byMismatch: Cause = { reason: 'filter_unmatch', by: null }
export const manually = ({ userId }: UserActor): Cause => ({ reason: 'manual', by: userId })

/** How the devices of groups came and went. A trigger writes it where a device that moves leaves a group. */
export class MembershipLog {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** In the transaction of the change. */
  write(
    groupId: string,
    deviceIds: readonly string[],
    action: DeviceGroupLogTable['action'],
    { reason, by }: Cause,
  ): void {
    this.#db
      .statement(
        `INSERT INTO device_group_log (group_id, device_id, action, reason, changed_by, created_at)
         SELECT ?, value, ?, ?, ?, ? FROM json_each(?)`,
      )
      .run(groupId, action, reason, by, isoNow(this.#clock), JSON.stringify(deviceIds))
  }

  /** Entries about devices that the actor sees now, newest first; none about devices that have left the organization. */
  *list(
    actor: UserActor,
    groupId: string,
    { deviceId, action, limit, offset }: QueryOf<typeof membershipLog>,
  ): Steps<ReplyOf<typeof membershipLog>> {
    const group = findGroupToRead(this.#db, actor, groupId)
    const isVisible = sql<boolean>`devices.org_id = ${group.org_id} and ${withinReach(actor, 'devices')}`
    const conditions = [
      sql`exists (select 1 from devices where devices.id = device_id and ${isVisible})`,
      ...(deviceId ? [sql`device_id = ${deviceId}`] : []),
      ...(action ? [sql`action = ${action}`] : []),
    ]
    const isHit = sql<number>`${sql.join(conditions, sql` and `)}`
    const page: number[] = []
    let total = 0
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before; ) {
      const entries: { id: number; isHit: number }[] = this.#db.all(
        q
          .selectFrom('device_group_log')
          .select(['id', isHit.as('isHit')])
          .where('group_id', '=', groupId)
          .where('id', '<', before)
          .orderBy('id', 'desc')
          .limit(entriesPerStep),
      )
      const hits = entries.filter((entry) => entry.isHit).map(({ id }) => id)
      page.push(...hits.slice(Math.max(0, offset - total), Math.max(0, offset + limit - total)))
      total += hits.length
      before = entries.length < entriesPerStep ? undefined : entries.at(-1)?.id
      yield
    }
    const data = this.#db.all(
      q
        .selectFrom('device_group_log as entry')
        // In this order: SQLite would rather begin with all devices of the organization.
        .crossJoin('devices')
        .whereRef('devices.id', '=', 'entry.device_id')
        .where('entry.id', 'in', page)
        .where(isVisible)
        .leftJoin('users', 'users.id', 'entry.changed_by')
        .select([
          'entry.id',
          'entry.group_id as groupId',
          'entry.device_id as deviceId',
          'hostname',
          'action',
          'reason',
        ])
        .select(['devices.display_name as displayName', 'changed_by as changedBy', 'users.name as changedByName'])
        .select('entry.created_at as createdAt')
        .orderBy('entry.id', 'desc'),
    )
    return { data, total, limit, offset }
  }

  /** Forgets what is older than ninety days, and of each group what is more than anybody reads. */
  async prune(signal: AbortSignal): Promise<void> {
    const entries = () => q.selectFrom('device_group_log').select('id')
    const oldest = iso(this.#clock.now() - keptMs)
    await inPieces(signal, (maxRows) => {
      const first = entries().select('created_at').orderBy('id').limit(maxRows)
      const old = q.selectFrom(first.as('first')).select('id').where('created_at', '<', oldest)
      return this.#db.run(q.deleteFrom('device_group_log').where('id', 'in', old))
    })
    for (const { id } of this.#db.all(q.selectFrom('device_groups').select('id')))
      await inPieces(signal, (maxRows) => {
        const surplus = entries()
          .where('group_id', '=', id)
          .orderBy('id', 'desc')
          .limit(maxRows)
          .offset(maxEntriesPerGroup)
        return this.#db.run(q.deleteFrom('device_group_log').where('id', 'in', surplus))
      })
  }
}
