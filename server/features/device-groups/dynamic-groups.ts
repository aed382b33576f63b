import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Reach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
import { KeyedLimit } from '../../lib/keyed-limit.ts'
import { inSteps, type Steps } from '../../lib/pieces.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { dueAfter, findDue, forgetDue } from './due-devices.ts'
import { type DeviceFactsRow, readRows } from './facts.ts'
import { FirstByName } from './first-by-name.ts'
import { byMatch, byMismatch } from './membership-log.ts'
import type { Memberships } from './memberships.ts'
import { RuleCache } from './rule-cache.ts'
import { type GroupRule, matchDevices } from './rule-matching.ts'
import { dynamicGroupsIn, findGroup, findGroups, type GroupRow } from './store.ts'

/** How many devices, and groups, are read at a time. */
const devicesPerBatch = 100
const groupsPerBatch = 50

/**
 * Keeps the members of dynamic groups in line with their rules. Triggers record which devices changed; soon after the
 * change their memberships are computed again. What changes with time alone is found by a sweep. The work is done in
 * steps of a few milliseconds.
 */
export class DynamicGroups {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #memberships: Memberships
  readonly #rules = new RuleCache()
  readonly #stopping = new AbortController()
  /** One evaluation at a time for each organization, so that an older result never overwrites a newer one. */
  readonly #byOrganization = new KeyedLimit(1)
  #underWay: Promise<void> | null = null
  #isDue = false

  constructor(db: Database, clock: Clock, log: Log, memberships: Memberships) {
    this.#db = db
    this.#clock = clock
    this.#log = log
    this.#memberships = memberships
    db.onWrite(['devices', 'device_reports', 'device_group_members'], () => this.start())
  }

  /** Evaluates every device that is due, unless that is under way. */
  start(): void {
    this.#isDue = true
    this.#underWay ??= this.#settleDue().finally(() => {
      this.#underWay = null
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#underWay
  }

  /** Evaluates the rule of a group for all devices; resolves when the members are saved. */
  async fill(groupId: string): Promise<void> {
    const seqs = this.#seqsOf(findGroup(this.#db, groupId)?.org_id)
    while (seqs.length > 0) {
      const group = findGroup(this.#db, groupId)
      if (!group) return
      await this.#evaluate(
        group.org_id,
        this.#evaluateGroup(groupId, seqs.splice(0, devicesPerBatch)),
        this.#stopping.signal,
      )
    }
  }

  /** The same for every group there is. */
  async fillAll(signal: AbortSignal): Promise<void> {
    const ruled = q.selectFrom('device_groups').select('org_id').distinct().where('type', '=', 'dynamic')
    for (const { org_id } of this.#db.all(ruled)) {
      const seqs = this.#seqsOf(org_id)
      while (seqs.length > 0)
        await this.#evaluate(org_id, this.#evaluateAllGroups(org_id, seqs.splice(0, devicesPerBatch)), signal)
    }
  }

  /** Evaluates all dynamic groups for one device; resolves when its memberships are saved. */
  async settle(deviceId: string): Promise<void> {
    const device = this.#db.first(q.selectFrom('devices').select(['seq', 'org_id']).where('id', '=', deviceId))
    if (device)
      await this.#evaluate(device.org_id, this.#evaluateAllGroups(device.org_id, [device.seq]), this.#stopping.signal)
  }

  /** The devices in reach that the rule finds now. */
  async preview(group: GroupRule, reach: Reach, limit: number, signal: AbortSignal) {
    const first = new FirstByName<DeviceFactsRow>(limit)
    const looking = this.#countMatches(group, reach, (device) => first.add(device))
    const totalCount = await inSteps(AbortSignal.any([signal, this.#stopping.signal]), looking)
    return {
      totalCount,
      devices: first.all().map(({ id, hostname, display_name, os_type, status, last_seen_at }) => ({
        id,
        hostname,
        displayName: display_name,
        osType: os_type,
        status,
        lastSeenAt: last_seen_at,
      })),
      evaluatedAt: isoNow(this.#clock),
    }
  }

  *#countMatches(group: GroupRule, reach: Reach, found: (device: DeviceFactsRow) => void): Steps<number> {
    const seen = withinReach(reach, 'devices').compile(q)
    const seqs = this.#seqsOf(group.org_id)
    let total = 0
    while (seqs.length > 0) {
      yield
      const devices = readRows(this.#db, group.org_id, seqs.splice(0, devicesPerBatch), seen)
      for (const { fit } of yield* this.#match([group], devices)) {
        total += fit.length
        for (const device of fit) found(device)
      }
    }
    return total
  }

  async #settleDue(): Promise<void> {
    try {
      while (this.#isDue) {
        this.#isDue = false
        // Lets writes of the same turn gather.
        await setImmediate()
        await this.#settleAllDue()
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted)
        this.#log.error({ err: error }, 'Device groups could not be brought up to date')
    }
  }

  /** In rounds: a device that changes all the time is not evaluated twice before all others were. */
  async #settleAllDue(): Promise<void> {
    const { signal } = this.#stopping
    for (let last = ''; ; ) {
      const due = dueAfter(this.#db, last, devicesPerBatch)
      if (due.length === 0 && last === '') return
      const byOrg = Map.groupBy(due, ({ org_id }) => org_id)
      const seqsOf = (some: typeof due) => some.map(({ seq }) => seq)
      await Promise.all(
        [...byOrg].map(([orgId, some]) => this.#evaluate(orgId, this.#evaluateAllGroups(orgId, seqsOf(some)), signal)),
      )
      last = due.at(-1)?.device_id ?? ''
    }
  }

  #evaluate(orgId: string, steps: Steps<void>, signal: AbortSignal): Promise<void> {
    return this.#byOrganization.run(orgId, () => inSteps(signal, steps))
  }

  /** Evaluates one group for these devices. */
  *#evaluateGroup(groupId: string, seqs: readonly number[]): Steps<void> {
    const group = findGroup(this.#db, groupId)
    if (group?.type !== 'dynamic') return
    const devices = readRows(this.#db, group.org_id, seqs)
    for (const { fit } of yield* this.#match([group], devices)) this.#save(group, devices, fit)
  }

  /** Evaluates all groups of the organization for these devices. */
  *#evaluateAllGroups(orgId: string, seqs: readonly number[]): Steps<void> {
    const devices = readRows(this.#db, orgId, seqs)
    const due = findDue(this.#db, idsOf(devices))
    const groupIds = dynamicGroupsIn(this.#db, orgId)
    for (let at = 0; at < groupIds.length; at += groupsPerBatch) {
      yield
      const groups = findGroups(this.#db, groupIds.slice(at, at + groupsPerBatch))
      for (const { group, fit } of yield* this.#match(groups, devices)) {
        this.#save(group, devices, fit)
        yield
      }
    }
    forgetDue(this.#db, due)
  }

  #match<Group extends GroupRule>(groups: readonly Group[], devices: readonly DeviceFactsRow[]) {
    return matchDevices(this.#db, this.#rules, groups, devices, this.#clock.now())
  }

  /** Those pinned stay whatever the rule says. */
  #save(group: GroupRow, devices: readonly DeviceFactsRow[], fit: readonly DeviceFactsRow[]): void {
    const fitting = new Set(idsOf(fit))
    const inside = this.#memberships.among(group.id, idsOf(devices))
    const joining = fit.flatMap(({ id }) => (inside.has(id) ? [] : [id]))
    const leaving = [...inside].flatMap(([id, isPinned]) => (isPinned || fitting.has(id) ? [] : [id]))
    if (joining.length + leaving.length === 0 || !this.#isUnchanged(group)) return
    this.#db.transaction(() => {
      this.#memberships.join(group.id, this.#stillInScope(group, joining), byMatch)
      this.#memberships.leave(group.id, leaving, byMismatch)
    })
  }

  /** A change of the group starts an evaluation of its own. */
  #isUnchanged({ id, type, site_id, filter_conditions }: GroupRow): boolean {
    const now = findGroup(this.#db, id)
    return now?.type === type && now.site_id === site_id && now.filter_conditions === filter_conditions
  }

  /** A device may have moved while it was looked at. */
  #stillInScope({ org_id, site_id }: GroupRow, deviceIds: readonly string[]): string[] {
    return this.#db
      .statement<string>(
        `SELECT id FROM devices WHERE id IN (SELECT value FROM json_each(?)) AND +org_id = ?
         AND (? IS NULL OR +site_id = ?)`,
      )
      .pluck()
      .all(JSON.stringify(deviceIds), org_id, site_id, site_id)
  }

  #seqsOf(orgId = ''): number[] {
    return this.#db
      .statement<number>('SELECT seq FROM devices INDEXED BY devices_org WHERE org_id = ?')
      .pluck()
      .all(orgId)
  }
}

const idsOf = (devices: readonly DeviceFactsRow[]) => devices.map(({ id }) => id)
