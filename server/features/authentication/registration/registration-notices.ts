import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { PendingRegistration } from './registration.ts'

interface Parts {
  db: Database
  clock: Clock
  limits: RateLimits
  mailer: Mailer
}

/** Tells those who run the appliance that somebody made a company on it. */
export class CompanyNews {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Inside the transaction that makes the company. A flood of them fills the audit log, but nobody's mailbox. */
  tell({ companyName, name, email, ip }: PendingRegistration): void {
    const { db, clock, limits, mailer } = this.#parts
    const isFull = () => limits.retryAfterMs('company_news', 'all') > 0
    if (isFull()) return
    limits.count('company_news', 'all')
    const company = { companyName, registrant: name, registrantEmail: email, ip, at: isoNow(clock), isLast: isFull() }
    const admins = q
      .selectFrom('users')
      .select(['email', 'name'])
      .where('is_platform_admin', '=', 1)
      .where('status', '=', 'active')
    for (const admin of db.all(admins))
      mailer.send({ kind: 'company-registered', to: admin.email, data: { name: admin.name, ...company } })
  }
}
