import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { FilterConditions } from '../../../shared/device-filter.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { type Reach, withinReach } from '../../db/tenancy.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { inPieces } from '../../platform/pieces.ts'
import { type Facts, readFacts } from './facts.ts'
import { byMatch, byMismatch } from './membership-log.ts'
import type { Memberships } from './memberships.ts'
import { type Rule, ruleOf } from './rule.ts'
import { findGroup, type GroupRow } from './store.ts'

const maxRules = 1000

/** What decides which devices a group is for; a group may have yet to be made of it. */
type Ruled = Pick<GroupRow, 'org_id' | 'site_id' | 'filter_conditions' | 'filter_fields_used'>
const listOf = (ids: readonly string[]) => sql<string>`(select value from json_each(${JSON.stringify(ids)}))`

/**
 * Keeps what is in dynamic groups true to their rules. Triggers write down which devices changed; soon after the
 * change they are looked at again, a few at a time. What changes by the clock is found by a sweep.
 */
export class DynamicGroups {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #memberships: Memberships
  readonly #rules = new Map<string, Rule>()
  readonly #stopping = new AbortController()
  #settling: Promise<void> | null = null
  #isDue = false

  constructor(db: Database, clock: Clock, log: Log, memberships: Memberships) {
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#memberships = memberships
    db.onWrite(['devices', 'device_reports', 'device_group_members'], () => this.start())
  }

  /** Looks at every device that is due, unless that is under way. */
  start(): void {
    this.#isDue = true
    this.#settling ??= this.#settleDue().finally(() => {
      this.#settling = null
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#settling
  }

  /** Makes the whole group true to its rule; resolves when it is. */
  async fill(groupId: string, signal: AbortSignal = this.#stopping.signal): Promise<void> {
    const ids = this.#idsOf(findGroup(this.#db, groupId)?.org_id)
    await inPieces(signal, (most) => {
      const piece = ids.splice(0, most)
      const group = findGroup(this.#db, groupId)
      if (group?.type !== 'dynamic') return 0
      this.settle([group], piece)
      return piece.length
    })
  }

  async fillAll(signal: AbortSignal): Promise<void> {
    const groups = this.#db.all(q.selectFrom('device_groups').select('id').where('type', '=', 'dynamic'))
    for (const { id } of groups) await this.fill(id, signal)
  }

  /** The devices in reach that the rule finds now. */
  async preview(group: Ruled, reach: Reach, limit: number) {
    const ids = this.#idsOf(group.org_id)
    const found: string[] = []
    await inPieces(this.#stopping.signal, (most) => {
      const piece = ids.splice(0, most)
      found.push(...this.#matching(group, this.#factsFor([group], piece)))
      return piece.length
    })
    const visible = q
      .selectFrom('devices')
      .where(sql<boolean>`id in ${listOf(found)}`)
      .where(withinReach(reach, 'devices'))
    const devices = this.#db.all(
      visible
        .select(['id', 'hostname', 'display_name', 'os_type', 'status', 'last_seen_at'])
        .orderBy(sql`hostname collate nocase`)
        .orderBy('id')
        .limit(limit),
    )
    const total = this.#db.first(visible.select((select) => select.fn.countAll<number>().as('total')))?.total ?? 0
    return {
      totalCount: total,
      devices: devices.map(({ display_name, os_type, last_seen_at, ...device }) => ({
        ...device,
        displayName: display_name,
        osType: os_type,
        lastSeenAt: last_seen_at,
      })),
      evaluatedAt: isoNow(this.#clock),
    }
  }

  /** Makes the membership of these devices true; those pinned stay whatever the rule says. */
  settle(groups: readonly GroupRow[], deviceIds: readonly string[]): void {
    const facts = this.#factsFor(groups, deviceIds)
    this.#db.transaction(() => {
      for (const group of groups) this.#settle(group, deviceIds, new Set(this.#matching(group, facts)))
    })
  }

  #settle(group: GroupRow, deviceIds: readonly string[], matching: ReadonlySet<string>): void {
    const inside = this.#memberships.among(group.id, deviceIds)
    const joining = [...matching].filter((id) => !inside.has(id))
    const leaving = [...inside].flatMap(([id, isPinned]) => (isPinned || matching.has(id) ? [] : [id]))
    if (joining.length > 0) this.#memberships.join(group.id, joining, byMatch)
    if (leaving.length > 0) this.#memberships.leave(group.id, leaving, byMismatch)
  }

  async #settleDue(): Promise<void> {
    try {
      while (this.#isDue) {
        this.#isDue = false
        // Whatever is written together is looked at together.
        await setImmediate()
        await inPieces(this.#stopping.signal, (most) => this.#settleSome(most))
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#log.error({ err: error }, 'Device groups could not be brought up to date')
    }
  }

  #settleSome(most: number): number {
    const due = this.#db.all(q.selectFrom('device_group_due').select('device_id').limit(most))
    if (due.length === 0) return 0
    const ids = due.map(({ device_id }) => device_id)
    this.#db.transaction(() => {
      this.settle(this.#groupsAround(ids), ids)
      this.#db.run(q.deleteFrom('device_group_due').where(sql<boolean>`device_id in ${listOf(ids)}`))
    })
    return ids.length
  }

  #groupsAround(deviceIds: readonly string[]): GroupRow[] {
    const orgs = q
      .selectFrom('devices')
      .select('org_id')
      .where(sql<boolean>`id in ${listOf(deviceIds)}`)
    return this.#db.all(
      q.selectFrom('device_groups').selectAll().where('type', '=', 'dynamic').where('org_id', 'in', orgs),
    )
  }

  #idsOf(orgId = ''): string[] {
    return this.#db.all(q.selectFrom('devices').select('id').where('org_id', '=', orgId)).map(({ id }) => id)
  }

  /** What the rules of all these groups ask for, read once. */
  #factsFor(groups: readonly Ruled[], deviceIds: readonly string[]): Facts[] {
    const fields = groups.flatMap(({ filter_fields_used }) => JSON.parse(filter_fields_used) as string[])
    return groups.length === 0 ? [] : readFacts(this.#db, deviceIds, fields, this.#clock.now())
  }

  #matching(group: Ruled, devices: readonly Facts[]): string[] {
    const rule = this.#ruleOf(group)
    const now = this.#clock.now()
    return rule ? devices.flatMap((facts) => (isInScope(group, facts) && rule(facts, now) ? [facts.id] : [])) : []
  }

  /** Null for a group without conditions, which finds nothing. */
  #ruleOf({ filter_conditions: text }: Ruled): Rule | null {
    if (text === null) return null
    let rule = this.#rules.get(text)
    if (!rule) {
      if (this.#rules.size >= maxRules) this.#rules.clear()
      rule = ruleOf(JSON.parse(text) as FilterConditions)
      this.#rules.set(text, rule)
    }
    return rule
  }
}

/** What is decommissioned is found by no rule. */
const isInScope = (group: Ruled, { org_id, site_id, status }: Facts) =>
  org_id === group.org_id && (group.site_id === null || group.site_id === site_id) && status !== 'decommissioned'
