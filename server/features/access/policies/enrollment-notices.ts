import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { day } from '../../../platform/clock.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { User } from '../users/store.ts'
import { databaseNow, nowOf } from './database-clock.ts'

const reminderLeadMs = 3 * day

/** The two mails about an enrollment window, each sent at most once to an account. */
export class EnrollmentNotices {
  readonly #db: Database
  readonly #mailer: Mailer

  constructor(db: Database, mailer: Mailer) {
    this.#db = db
    this.#mailer = mailer
  }

  /**
   * Queues the mail that is due for a window open until `deadline` (ISO 8601). A window too short for both has the
   * reminder only. Runs inside a transaction: the timestamp on the account is saved together with the queued mail.
   */
  send(user: User, deadline: string): void {
    const lifeMs = Date.parse(deadline) - nowOf(this.#db)
    if (lifeMs <= 0 || user.mfa_enrollment_reminded_at !== null) return
    const isReminder = lifeMs <= reminderLeadMs
    if (!isReminder && user.mfa_enrollment_notice_sent_at !== null) return
    this.#mailer.send({
      kind: isReminder ? 'mfa-window-reminder' : 'mfa-window-opened',
      to: user.email,
      data: { name: user.name, deadline },
      lifeSeconds: Math.ceil(lifeMs / 1000),
    })
    this.#stamp(user, isReminder)
  }

  /** Marks both mails as sent, because the window has ended. */
  close(user: User): void {
    this.#stamp(user, true)
  }

  #stamp(user: User, isReminder: boolean): void {
    this.#db.run(
      q
        .updateTable('users')
        .set({
          mfa_enrollment_notice_sent_at: sql<string>`coalesce(mfa_enrollment_notice_sent_at, ${databaseNow})`,
          ...(isReminder && { mfa_enrollment_reminded_at: sql<string>`${databaseNow}` }),
        })
        .where('id', '=', user.id),
    )
  }
}
