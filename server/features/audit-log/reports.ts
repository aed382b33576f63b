import type {
  readAuditStats,
  reportCompliance,
  reportSecurityEvents,
  reportUserActivity,
} from '../../../shared/api/audit-log.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { inSteps, type Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type EventFacts, eventsOf, factsOf } from './event-rows.ts'
import { eventQuery } from './filters.ts'
import { LogScan } from './log-scan.ts'
import { actorName, categoryOf, fullEvent } from './views.ts'

/** A report covers at most so many events, the newest of its range. */
const maxEvents = 5000
const eventsPerStep = 250
const maxRecentEvents = 10

const isSignIn = (action: string) => action.startsWith('user.login')
const changesPermissions = (action: string) =>
  /^(role|api_key)\.|^user\.(permission|role|invite|remove|create|update)(\.|$)/.test(action)
const isOfSecurity = (action: string) =>
  changesPermissions(action) || /^(auth|policy|automation\.policy|audit_logs|user)\./.test(action)
const isExport = (action: string) => /\.export(\.|$)/.test(action)
const isAccess = (action: string) => action.startsWith('data.access') || /\.(reveal|viewed|download)$/.test(action)
const isChange = (action: string) =>
  /^(device|organization|org|site|contact|policy|script|partner|enrollment_key|device_group)\./.test(action)

type DateRange = QueryOf<typeof readAuditStats>

/** Summaries of the newest events of a range; `truncated` says that there are more events than they cover. */
export class AuditReports {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async userActivity(
    actor: UserActor,
    range: DateRange,
    signal: AbortSignal,
  ): Promise<ReplyOf<typeof reportUserActivity>> {
    const { events, newest, truncated } = await this.#newest(actor, range, signal)
    const actionsPerUser = activityOf(events)
    return {
      totalUsers: actionsPerUser.length,
      totalEvents: events.length,
      truncated,
      actionsPerUser,
      topUsers: actionsPerUser.slice(0, 5),
      recentActivity: newest,
    }
  }

  async security(
    actor: UserActor,
    range: DateRange,
    signal: AbortSignal,
  ): Promise<ReplyOf<typeof reportSecurityEvents>> {
    const { events, newest, truncated } = await this.#newest(actor, range, signal, isOfSecurity)
    return {
      totalEvents: events.length,
      truncated,
      loginAttempts: countOf(events, isSignIn),
      failedLogins: countOf(events, (action) => action === 'user.login.failed'),
      permissionChanges: countOf(events, changesPermissions),
      byAction: byAction(events),
      recentEvents: newest,
    }
  }

  async compliance(actor: UserActor, range: DateRange, signal: AbortSignal): Promise<ReplyOf<typeof reportCompliance>> {
    const isOfCompliance = (action: string) => isAccess(action) || isChange(action) || isExport(action)
    const { events, newest, truncated } = await this.#newest(actor, range, signal, isOfCompliance)
    return {
      totalEvents: events.length,
      truncated,
      dataAccess: countOf(events, isAccess),
      dataChanges: countOf(events, (action) => isChange(action) && !isExport(action) && !isAccess(action)),
      exports: countOf(events, isExport),
      byAction: byAction(events),
      recentEvents: newest,
    }
  }

  async stats(actor: UserActor, range: DateRange, signal: AbortSignal): Promise<ReplyOf<typeof readAuditStats>> {
    const { events, truncated } = await this.#newest(actor, range, signal)
    const byCategory = counted(events, ({ action }) => categoryOf(action))
    return {
      totalEvents: events.length,
      truncated,
      byCategory: byCategory.map(([category, count]) => ({ category, count })),
      byUser: activityOf(events).map(({ userId, userName, actionCount }) => ({ userId, userName, actionCount })),
      range: { from: range.from ?? null, to: range.to ?? null },
    }
  }

  async #newest(
    actor: UserActor,
    range: DateRange,
    signal: AbortSignal,
    isIncluded: (action: string) => boolean = () => true,
  ) {
    const seqs: number[] = []
    await new LogScan(this.#db, eventQuery(this.#db, actor, range)).scan(signal, (matching) => {
      seqs.push(...matching)
      return seqs.length > maxEvents ? 'enough' : 'more'
    })
    const scanned = await inSteps(signal, this.#read(seqs.slice(0, maxEvents)))
    const events = scanned.filter(({ action }) => isIncluded(action))
    const newest = eventsOf(
      this.#db,
      events.slice(0, maxRecentEvents).map(({ seq }) => seq),
    ).map((event) => fullEvent(event))
    return { events, newest, truncated: seqs.length > maxEvents }
  }

  *#read(seqs: readonly number[]): Steps<EventFacts[]> {
    const events: EventFacts[] = []
    for (let at = 0; at < seqs.length; at += eventsPerStep) {
      events.push(...factsOf(this.#db, seqs.slice(at, at + eventsPerStep)))
      yield
    }
    return events
  }
}

const countOf = (events: EventFacts[], matches: (action: string) => boolean) =>
  events.filter(({ action }) => matches(action)).length

/** How many events have each key, the most frequent first. */
const counted = <Key>(events: EventFacts[], keyOf: (event: EventFacts) => Key): [Key, number][] =>
  [...Map.groupBy(events, keyOf)]
    .map(([key, group]): [Key, number] => [key, group.length])
    .sort(([, a], [, b]) => b - a)

const byAction = (events: EventFacts[]) =>
  counted(events, ({ action }) => action).map(([action, count]) => ({ action, count }))

/** The actors of these events, which come newest first; the most active actor first. */
function activityOf(events: EventFacts[]) {
  const activities = [...Map.groupBy(events, ({ actor_id }) => actor_id)].flatMap(([userId, group]) => {
    const [newest] = group
    if (!newest) return []
    const user = { userId, userName: actorName(newest), userEmail: newest.actor_email ?? '' }
    return [{ ...user, actionCount: group.length, lastActiveAt: newest.timestamp }]
  })
  return activities.sort((a, b) => b.actionCount - a.actionCount)
}
