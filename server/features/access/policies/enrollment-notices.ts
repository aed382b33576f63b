import { sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { day } from '../../../platform/clock.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { User } from '../users/store.ts'
import { databaseNow, nowOf } from './database-clock.ts'

const reminderLeadMs = 3 * day

/** The two mails about the time somebody has for enrolling a factor, each at most once. */
export class EnrollmentNotices {
  readonly #db: Database
  readonly #mailer: Mailer

  constructor(db: Database, mailer: Mailer) {
    this.#db = db
    this.#mailer = mailer
  }

  /**
   * Sends whichever mail is due while the window is open until `deadline` (ISO 8601). A window too short for both has
   * the reminder only. Inside a transaction: the stamp is saved with the mail in the queue, which from there on sees to
   * it that it arrives, so "sent" here means taken by the queue.
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

  /** No mail makes sense any more. */
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
