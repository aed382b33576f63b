import type { Updateable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { FactorNews, Mailer } from '../../messaging/index.ts'
import { replaced } from '../sessions/farewell.ts'
import type { Issued } from '../sessions/pairs.ts'
import type { MfaSource, Sessions } from '../sessions/sessions.ts'
import { findMembership, findSession, type User } from '../store.ts'
import type { UserTable } from '../tables.ts'
import { aboutOwner, assertUnchanged, ownerOf } from './owner.ts'

interface FactorEvent {
  action: string
  details?: Record<string, unknown>
}

export interface FactorChange {
  /** Adding leaves the caller's session alive, with a fresh pair; removing puts another one in its place. */
  session: 'rebind' | 'replace'
  /** The factor that was proven with this call; it makes the session one that passed it. */
  source: MfaSource | null
  /** Inside the transaction, on the user as they are then: what is written to them. May refuse by throwing. */
  apply: (user: User) => Updateable<UserTable>
  event: FactorEvent
  /** Why the other sessions ended, and what the owner is told by mail. */
  reason: FactorNews
}

/** Takes every factor from somebody, inside a transaction that moves their epoch; what is to be written to them. */
export function clearFactors(db: Database, userId: string): Updateable<UserTable> {
  db.run(q.deleteFrom('user_passkeys').where('user_id', '=', userId))
  return {
    mfa_enabled: 0,
    mfa_method: null,
    mfa_secret: null,
    mfa_recovery_codes: null,
    phone_number: null,
    phone_verified: 0,
  }
}

/** Every change of somebody's factors: the epoch moves, all other sessions end, it is recorded, or nothing is. */
export class FactorChanges {
  readonly #db: Database
  readonly #clock: Clock
  readonly #sessions: Sessions
  readonly #audit: Audit
  readonly #mailer: Mailer

  constructor(db: Database, clock: Clock, sessions: Sessions, audit: Audit, mailer: Mailer) {
    this.#db = db
    this.#clock = clock
    this.#sessions = sessions
    this.#audit = audit
    this.#mailer = mailer
  }

  async commit(actor: UserActor, change: FactorChange): Promise<Issued> {
    const user = ownerOf(this.#db, actor)
    const session = findSession(this.#db, actor.sessionId)
    const membership = findMembership(this.#db, user, actor.membershipId)
    if (!session || !membership) throw new AppError('invalid_token')
    const next: User = { ...user, mfa_epoch: user.mfa_epoch + 1 }
    const { issued, save } =
      change.session === 'rebind'
        ? await this.#sessions.rebind(session, next, membership, change.source)
        : await this.#sessions.replace(session, next, membership)
    this.#db.transaction(() => {
      const columns = change.apply(ownerOf(this.#db, actor))
      assertUnchanged(this.#db, actor, user)
      this.#db.run(
        q
          .updateTable('users')
          .set({
            ...columns,
            ...(columns.mfa_enabled === 1 && { mfa_reset_at: null }),
            mfa_epoch: next.mfa_epoch,
            updated_at: isoNow(this.#clock),
          })
          .where('id', '=', user.id),
      )
      if (change.session === 'replace') this.#sessions.revoke(session.id, replaced)
      this.#sessions.revokeAll(user.id, change.reason, change.session === 'rebind' ? session.id : null)
      save()
      for (const event of eventsOf(change.event, user, columns)) this.#audit(actor, { ...event, ...aboutOwner(actor) })
      // A thief in the session must not be able to do this unseen.
      this.#mailer.send({
        kind: 'factors-changed',
        to: user.email,
        data: { name: user.name, news: change.reason, at: isoNow(this.#clock) },
      })
    })
    return issued
  }
}

/** What turns the second factor on or off, such as a first or last passkey, is recorded as that, too. */
function eventsOf(event: FactorEvent, before: User, { mfa_enabled, mfa_method }: Updateable<UserTable>): FactorEvent[] {
  if (mfa_enabled === undefined) return [event]
  const [action, method] = mfa_enabled === 1 ? ['auth.mfa.setup', mfa_method] : ['auth.mfa.disable', before.mfa_method]
  return event.action === action ? [event] : [event, { action, details: { method } }]
}
