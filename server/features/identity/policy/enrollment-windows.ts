import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { day, iso } from '../../../platform/clock.ts'
import { findUser, type User } from '../store.ts'

export interface EnrollmentWindow {
  isOpen: boolean
  /** ISO 8601. */
  deadline: string
}

const databaseNow = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

/**
 * The one-time window in which somebody whose role asks for a second factor may still work without one. It opens when
 * the demand is first felt and never again; every instant comes from the clock of the database.
 */
export class EnrollmentWindows {
  readonly #db: Database
  readonly #onOpen: (user: User) => void

  /** `onOpen` runs inside the transaction that opens a window. */
  constructor(db: Database, onOpen: (user: User) => void) {
    this.#db = db
    this.#onOpen = onOpen
  }

  /** Null for those who get none: they once held a factor, or nobody has asked them yet. */
  of(user: User, graceDays: number): EnrollmentWindow | null {
    if (!user.mfa_enrollment_deadline || !user.mfa_enrollment_grace_granted_at || user.mfa_epoch > 1) return null
    // A setting made shorter since counts, one made longer does not.
    const latest = Date.parse(user.mfa_enrollment_grace_granted_at) + graceDays * day
    const deadline = Math.min(Date.parse(user.mfa_enrollment_deadline), latest)
    return { isOpen: this.#now() < deadline, deadline: iso(deadline) }
  }

  /** Opens the window if this user is to have one; the user as saved. */
  open(user: User, graceDays: number): User {
    if (user.mfa_enrollment_deadline || user.mfa_epoch > 1 || user.mfa_enabled) return user
    return this.#db.transaction(() => {
      const opened = this.#db.run(
        q
          .updateTable('users')
          .set({
            mfa_enrollment_grace_granted_at: sql<string>`${sql.raw(databaseNow)}`,
            mfa_enrollment_deadline: sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${`+${graceDays} days`})`,
          })
          .where('id', '=', user.id)
          .where('mfa_enrollment_deadline', 'is', null)
          .where('mfa_epoch', '=', 1)
          .where('mfa_enabled', '=', 0),
      )
      const saved = findUser(this.#db, user.id) ?? user
      if (opened > 0) this.#onOpen(saved)
      return saved
    })
  }

  #now(): number {
    return Date.parse(this.#db.statement(`SELECT ${databaseNow}`).pluck().get() as string)
  }
}
