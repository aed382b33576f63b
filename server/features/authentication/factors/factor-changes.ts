import type { Updateable } from 'kysely'
import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Tables } from '../../../tables.ts'
import { findMembership, type User, updateUser } from '../../access/index.ts'
import type { FactorNews, Mailer } from '../../messaging/index.ts'
import { replaced } from '../sessions/end-reason.ts'
import type { MfaSource, Sessions } from '../sessions/sessions.ts'
import { aboutOwnAccount, assertSessionUnchanged, signedInUser } from '../sessions/signed-in-user.ts'
import { findSession } from '../sessions/store.ts'
import type { IssuedTokens } from '../sessions/token-pairs.ts'

interface FactorEvent {
  action: AuditAction
  details?: Record<string, unknown>
}

export interface FactorChange {
  /** After adding a factor the caller's session goes on with new tokens; after removing one it is replaced by a new one. */
  session: 'rebind' | 'replace'
  /** The factor that this call proved, if any; the session then counts as having passed it. */
  source: MfaSource | null
  /** Runs inside the transaction, on the user as they are then; returns the columns to change, or throws to refuse. */
  apply: (user: User) => Updateable<Tables['users']>
  event: FactorEvent
  /** Why the other sessions end, and what the mail to the user says. */
  reason: FactorNews
}

/** Deletes the passkeys of a user and returns the columns that clear the other factors; the caller raises `mfa_epoch`. */
export function clearFactors(db: Database, userId: string): Updateable<Tables['users']> {
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

/** Changes the factors of the caller: raises the MFA epoch, ends all other sessions, audits and mails, in one transaction. */
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

  async commit(actor: UserActor, change: FactorChange): Promise<IssuedTokens> {
    const user = signedInUser(this.#db, actor)
    const session = findSession(this.#db, actor.sessionId)
    const membership = findMembership(this.#db, user, actor.membershipId)
    if (!session || !membership) throw new AppError('invalid_token')
    const next: User = { ...user, mfa_epoch: user.mfa_epoch + 1 }
    const { issued, save } =
      change.session === 'rebind'
        ? await this.#sessions.rebind(session, next, membership, change.source)
        : await this.#sessions.replace(session, next, membership)
    this.#db.transaction(() => {
      const columns = change.apply(signedInUser(this.#db, actor))
      assertSessionUnchanged(this.#db, actor, user)
      updateUser(this.#db, user.id, {
        ...columns,
        ...(columns.mfa_enabled === 1 && { mfa_reset_at: null }),
        mfa_epoch: next.mfa_epoch,
        updated_at: isoNow(this.#clock),
      })
      if (change.session === 'replace') this.#sessions.revoke(session.id, replaced)
      this.#sessions.revokeAll(user.id, change.reason, change.session === 'rebind' ? session.id : null)
      save()
      for (const event of eventsOf(change.event, user, columns))
        this.#audit(actor, { ...event, ...aboutOwnAccount(actor) })
      // An attacker in the session must not be able to do this unnoticed.
      this.#mailer.send({
        kind: 'factors-changed',
        to: user.email,
        data: { name: user.name, news: change.reason, at: isoNow(this.#clock) },
      })
    })
    return issued
  }
}

/** A change that turns MFA on or off, such as a first or last passkey, is recorded as that, too. */
function eventsOf(
  event: FactorEvent,
  before: User,
  { mfa_enabled, mfa_method }: Updateable<Tables['users']>,
): FactorEvent[] {
  if (mfa_enabled === undefined) return [event]
  const [action, method] =
    mfa_enabled === 1 ? (['auth.mfa.setup', mfa_method] as const) : (['auth.mfa.disable', before.mfa_method] as const)
  return event.action === action ? [event] : [event, { action, details: { method } }]
}
