import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { day, iso } from '../../../platform/clock.ts'
import { findUser, type User } from '../users/store.ts'
import { databaseIn, databaseNow, nowOf } from './database-clock.ts'
import type { EnrollmentNotices } from './enrollment-notices.ts'

export interface EnrollmentWindow {
  isOpen: boolean
  /** ISO 8601. */
  deadline: string
}

/** What decides whether an account has to enroll a factor, and until when. */
export type FactorState = Pick<
  User,
  'mfa_enabled' | 'mfa_epoch' | 'mfa_enrollment_deadline' | 'mfa_enrollment_grace_granted_at' | 'mfa_reset_at'
>

/** Has never held a factor and never been asked for one. */
export const mayOpen = (user: Omit<FactorState, 'mfa_enrollment_grace_granted_at' | 'mfa_reset_at'>): boolean =>
  user.mfa_enrollment_deadline === null && user.mfa_epoch === 1 && user.mfa_enabled === 0

/**
 * The one-time window in which somebody whose role asks for a second factor may still work without one. It opens when
 * the demand is first felt and never again; every instant comes from the clock of the database.
 */
export class EnrollmentWindows {
  readonly #db: Database
  readonly #notices: EnrollmentNotices

  constructor(db: Database, notices: EnrollmentNotices) {
    this.#db = db
    this.#notices = notices
  }

  /** Null for those who get none: they once held a factor, or nobody has asked them yet. */
  of(user: FactorState, graceDays: number): EnrollmentWindow | null {
    if (!user.mfa_enrollment_deadline || !user.mfa_enrollment_grace_granted_at || user.mfa_epoch > 1) return null
    // A setting made shorter since counts, one made longer does not.
    const latest = Date.parse(user.mfa_enrollment_grace_granted_at) + graceDays * day
    const deadline = Math.min(Date.parse(user.mfa_enrollment_deadline), latest)
    return { isOpen: nowOf(this.#db) < deadline, deadline: iso(deadline) }
  }

  /** Opens the window if this user is to have one; the user as saved. */
  open(user: User, graceDays: number): User {
    if (!mayOpen(user)) return user
    return this.#db.transaction(() => {
      const opened = this.#db.run(
        q
          .updateTable('users')
          .set({ mfa_enrollment_grace_granted_at: databaseNow, mfa_enrollment_deadline: databaseIn(graceDays) })
          .where('id', '=', user.id)
          .where('mfa_enrollment_deadline', 'is', null)
          .where('mfa_epoch', '=', 1)
          .where('mfa_enabled', '=', 0),
      )
      const saved = findUser(this.#db, user.id) ?? user
      const window = opened > 0 && this.of(saved, graceDays)
      if (window) this.#notices.send(saved, window.deadline)
      return saved
    })
  }
}
