import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Flag } from '../../db/table.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Cause, MembershipLog } from './membership-log.ts'

const listOf = (ids: readonly string[]) => sql<string>`(select value from json_each(${JSON.stringify(ids)}))`

/** Who is in which group. Every change is told to those confined to the group, for whom a device comes or goes. */
export class Memberships {
  readonly #db: Database
  readonly #clock: Clock
  readonly #live: LiveEvents
  readonly #log: MembershipLog

  constructor(db: Database, clock: Clock, live: LiveEvents, log: MembershipLog) {
    this.#db = db
    this.#clock = clock
    this.#live = live
    this.#log = log
  }

  /** Of the devices, those in the group: whether each is pinned. */
  among(groupId: string, deviceIds: readonly string[]): Map<string, boolean> {
    const rows = this.#db
      .statement<{ device_id: string; is_pinned: Flag }>(
        `SELECT device_id, is_pinned FROM device_group_members
         WHERE group_id = ? AND device_id IN (SELECT value FROM json_each(?))`,
      )
      .all(groupId, JSON.stringify(deviceIds))
    return new Map(rows.map(({ device_id, is_pinned }) => [device_id, is_pinned === 1]))
  }

  /** Returns how many were not in it before. */
  join(groupId: string, deviceIds: readonly string[], cause: Cause): number {
    return this.#db.transaction(() => {
      const inside = this.among(groupId, deviceIds)
      const joining = deviceIds.filter((id) => !inside.has(id))
      const insert = this.#db.statement(
        'INSERT INTO device_group_members (group_id, device_id, added_by, added_at) VALUES (?, ?, ?, ?)',
      )
      const addedBy = cause.reason === 'filter_match' ? 'dynamic_rule' : 'manual'
      for (const id of joining) insert.run(groupId, id, addedBy, isoNow(this.#clock))
      this.#log.write(groupId, joining, 'added', cause)
      this.#changed(groupId, joining, true)
      return joining.length
    })
  }

  /** Returns those that were in it. */
  leave(groupId: string, deviceIds: readonly string[], cause: Cause): string[] {
    return this.#db.transaction(() => {
      const leaving = [...this.among(groupId, deviceIds).keys()]
      this.#db.run(
        q
          .deleteFrom('device_group_members')
          .where('group_id', '=', groupId)
          .where(sql<boolean>`device_id in ${listOf(leaving)}`),
      )
      this.#log.write(groupId, leaving, 'removed', cause)
      this.#changed(groupId, leaving, false)
      return leaving
    })
  }

  /** The group goes, and its history with it. */
  clear(groupId: string): void {
    this.#db.transaction(() => {
      const watched = this.#live.isGroupWatched(groupId) ? this.#membersOf(groupId) : []
      this.#db.run(q.deleteFrom('device_group_members').where('group_id', '=', groupId))
      this.#changed(groupId, watched, false)
    })
  }

  #membersOf(groupId: string): string[] {
    const members = q.selectFrom('device_group_members').select('device_id').where('group_id', '=', groupId)
    return this.#db.all(members).map(({ device_id }) => device_id)
  }

  /** Puts it in, should it not be there. */
  pin(groupId: string, deviceId: string, by: string): void {
    const isPinned = this.among(groupId, [deviceId]).get(deviceId)
    if (isPinned) return
    const cause: Cause = { reason: 'pinned', by }
    if (isPinned === undefined) this.join(groupId, [deviceId], cause)
    else this.#log.write(groupId, [deviceId], 'pinned', cause)
    this.#setPinned(groupId, deviceId, 1)
  }

  /** Leaves it in; whether it stays is for the rule. */
  unpin(groupId: string, deviceId: string, by: string): void {
    if (!this.among(groupId, [deviceId]).get(deviceId)) return
    this.#log.write(groupId, [deviceId], 'unpinned', { reason: 'unpinned', by })
    this.#setPinned(groupId, deviceId, 0)
  }

  #setPinned(groupId: string, deviceId: string, isPinned: Flag): void {
    this.#db.run(
      q
        .updateTable('device_group_members')
        .set({ is_pinned: isPinned })
        .where('group_id', '=', groupId)
        .where('device_id', '=', deviceId),
    )
  }

  #changed(groupId: string, deviceIds: readonly string[], isJoined: boolean): void {
    if (deviceIds.length === 0) return
    this.#db.afterCommit(() => this.#announce(groupId, deviceIds, isJoined))
  }

  #announce(groupId: string, deviceIds: readonly string[], isJoined: boolean): void {
    if (!this.#live.isGroupWatched(groupId)) return
    const devices = this.#db.all(
      q
        .selectFrom('devices')
        .select(['id', 'org_id', 'site_id'])
        .where(sql<boolean>`id in ${listOf(deviceIds)}`),
    )
    for (const { id, org_id: orgId, site_id: siteId } of devices) {
      const groups = groupsOf(this.#db, id)
      const before = isJoined ? groups.filter((other) => other !== groupId) : [...groups, groupId]
      this.#live.moved(id, { orgId, siteId, groups: before }, { orgId, siteId, groups })
    }
  }
}

/**
 * Rules go on while a merge moves rows. Ends at most so many memberships of devices in groups of another organization,
 * which one that is taken back leaves behind; returns how many.
 */
export function removeForeignMemberships(db: Database, orgIds: readonly string[], maxRows: number): number {
  const { changes } = db
    .statement(
      `DELETE FROM device_group_members WHERE (group_id, device_id) IN (
         SELECT group_id, device_id FROM device_groups
           JOIN device_group_members ON group_id = device_groups.id
           JOIN devices ON devices.id = device_id
         WHERE device_groups.org_id IN (SELECT value FROM json_each(?)) AND devices.org_id <> device_groups.org_id
         LIMIT ?)`,
    )
    .run(JSON.stringify(orgIds), maxRows)
  return changes
}

/** The groups a device is in. */
export const groupsOf = (db: Database, deviceId: string): string[] =>
  db
    .all(q.selectFrom('device_group_members').select('group_id').where('device_id', '=', deviceId))
    .map(({ group_id }) => group_id)
