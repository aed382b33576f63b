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
import { wantedOf } from './filters.ts'
import { type EventFacts, eventsOf, factsOf } from './rows.ts'
import { actorName, categoryOf, fullEvent } from './views.ts'
import { Walk } from './walk.ts'

/** A report is about so many of the newest events of its range. */
const most = 5000
const readAtOnce = 250
const shown = 10

const isSignIn = (action: string) => action.startsWith('user.login')
const changesPowers = (action: string) =>
  /^(role|api_key)\.|^user\.(permission|role|invite|remove|create|update)(\.|$)/.test(action)
const isOfSecurity = (action: string) =>
  changesPowers(action) || /^(auth|policy|automation\.policy|audit_logs|user)\./.test(action)
const isExport = (action: string) => /\.export(\.|$)/.test(action)
const isAccess = (action: string) => action.startsWith('data.access') || /\.(reveal|viewed|download)$/.test(action)
const isChange = (action: string) =>
  /^(device|organization|org|site|contact|policy|script|partner|enrollment_key|device_group)\./.test(action)

type Range = QueryOf<typeof readAuditStats>

export class AuditReports {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async userActivity(actor: UserActor, range: Range, signal: AbortSignal): Promise<ReplyOf<typeof reportUserActivity>> {
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

  async security(actor: UserActor, range: Range, signal: AbortSignal): Promise<ReplyOf<typeof reportSecurityEvents>> {
    const { events, newest, truncated } = await this.#newest(actor, range, signal, isOfSecurity)
    return {
      totalEvents: events.length,
      truncated,
      loginAttempts: countOf(events, isSignIn),
      failedLogins: countOf(events, (action) => action === 'user.login.failed'),
      permissionChanges: countOf(events, changesPowers),
      byAction: byAction(events),
      recentEvents: newest,
    }
  }

  async compliance(actor: UserActor, range: Range, signal: AbortSignal): Promise<ReplyOf<typeof reportCompliance>> {
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

  async stats(actor: UserActor, range: Range, signal: AbortSignal): Promise<ReplyOf<typeof readAuditStats>> {
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
    range: Range,
    signal: AbortSignal,
    isMeant: (action: string) => boolean = () => true,
  ) {
    const seqs: number[] = []
    await new Walk(this.#db, wantedOf(this.#db, actor, range)).run(signal, (matching) => {
      seqs.push(...matching)
      return seqs.length > most ? 'enough' : 'more'
    })
    const events = (await inSteps(signal, this.#read(seqs.slice(0, most)))).filter(({ action }) => isMeant(action))
    const newest = eventsOf(
      this.#db,
      events.slice(0, shown).map(({ seq }) => seq),
    ).map((event) => fullEvent(event))
    return { events, newest, truncated: seqs.length > most }
  }

  *#read(seqs: readonly number[]): Steps<EventFacts[]> {
    const events: EventFacts[] = []
    for (let at = 0; at < seqs.length; at += readAtOnce) {
      events.push(...factsOf(this.#db, seqs.slice(at, at + readAtOnce)))
      yield
    }
    return events
  }
}

const countOf = (events: EventFacts[], fits: (action: string) => boolean) =>
  events.filter(({ action }) => fits(action)).length

/** The most frequent first. */
const counted = <Key>(events: EventFacts[], keyOf: (event: EventFacts) => Key): [Key, number][] =>
  [...Map.groupBy(events, keyOf)]
    .map(([key, group]): [Key, number] => [key, group.length])
    .sort(([, a], [, b]) => b - a)

const byAction = (events: EventFacts[]) =>
  counted(events, ({ action }) => action).map(([action, count]) => ({ action, count }))

/** Who did most first; events come newest first. */
const activityOf = (events: EventFacts[]) =>
  [...Map.groupBy(events, ({ actor_id }) => actor_id)]
    .map(([userId, group]) => {
      const [last] = group as [EventFacts]
      const who = { userId, userName: actorName(last), userEmail: last.actor_email ?? '' }
      return { ...who, actionCount: group.length, lastActiveAt: last.timestamp }
    })
    .sort((a, b) => b.actionCount - a.actionCount)
