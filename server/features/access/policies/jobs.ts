import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Job } from '../../../platform/jobs.ts'
import type { Log } from '../../../platform/log.ts'
import { findMembership } from '../memberships/usable.ts'
import type { User } from '../users/store.ts'
import type { EnrollmentNotices } from './enrollment-notices.ts'
import type { MfaPolicy } from './mfa-policy.ts'

interface Dependencies {
  db: Database
  log: Log
  policy: MfaPolicy
  notices: EnrollmentNotices
}

export const mfaReminderJobs = (dependencies: Dependencies): Job[] => [
  {
    name: 'mfa.remind',
    description: 'Reminds people before they need a second factor',
    // Hourly, so that a reminder due three days before the deadline is not up to a day late.
    schedule: '0 5 * * * *',
    run: () => remind(dependencies),
  },
]

function remind({ db, log, policy, notices }: Dependencies): void {
  for (const user of withWindow(db))
    db.transaction(() => {
      const membership = user.status === 'active' ? findMembership(db, user) : null
      if (!membership) return
      // Role and settings may have changed since the window opened.
      const { status, deadline } = policy.enrollmentOf(user, policy.requirementOf(membership))
      if (status === 'active' && deadline) notices.send(user, deadline)
      if (status !== 'expired') return
      log.info({ userId: user.id, deadline }, 'The time for enrolling a second factor has passed')
      notices.close(user)
    })
}

/** Accounts with a window that may still need a mail. */
const withWindow = (db: Database): User[] =>
  db.all(
    q
      .selectFrom('users')
      .selectAll()
      .where('mfa_enrollment_deadline', 'is not', null)
      .where('mfa_epoch', '=', 1)
      .where('mfa_enabled', '=', 0)
      .where('mfa_enrollment_reminded_at', 'is', null),
  )
