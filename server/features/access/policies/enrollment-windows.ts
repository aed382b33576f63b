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

/** The columns that decide whether an account has to enroll a factor, and until when. */
export type FactorState = Pick<
  User,
  'mfa_enabled' | 'mfa_epoch' | 'mfa_enrollment_deadline' | 'mfa_enrollment_grace_granted_at' | 'mfa_reset_at'
>

/** Whether the account has never held a factor and never had an enrollment window. */
export const mayOpenWindow = (user: Omit<FactorState, 'mfa_enrollment_grace_granted_at' | 'mfa_reset_at'>): boolean =>
  user.mfa_enrollment_deadline === null && user.mfa_epoch === 1 && user.mfa_enabled === 0

/**
 * The time in which a user whose role requires a second factor may still work without one. Each account has one such
 * window at most, which opens when the requirement first applies. All instants come from the clock of the database.
 */
export class EnrollmentWindows {
  readonly #db: Database
  readonly #notices: EnrollmentNotices

  constructor(db: Database, notices: EnrollmentNotices) {
    this.#db = db
    this.#notices = notices
  }

  /** Null for an account that has held a factor before, or whose window has not been opened. */
  of(user: FactorState, graceDays: number): EnrollmentWindow | null {
    if (!user.mfa_enrollment_deadline || !user.mfa_enrollment_grace_granted_at || user.mfa_epoch > 1) return null
    // A shorter setting applies to windows that are open already, a longer one does not.
    const latest = Date.parse(user.mfa_enrollment_grace_granted_at) + graceDays * day
    const deadline = Math.min(Date.parse(user.mfa_enrollment_deadline), latest)
    return { isOpen: nowOf(this.#db) < deadline, deadline: iso(deadline) }
  }

  /**
   * Opens the window of a user who may have one.
   * @returns the user as saved
   */
  open(user: User, graceDays: number): User {
    if (!mayOpenWindow(user)) return user
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
