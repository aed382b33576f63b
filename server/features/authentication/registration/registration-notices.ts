import type { Database } from '../../../db/database.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { activePlatformAdmins } from '../../access/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { PendingRegistration } from '../one-time-secrets/secret-payloads.ts'

interface Dependencies {
  db: Database
  clock: Clock
  limits: RateLimits
  mailer: Mailer
}

/** Mails the platform admins about each new registration. */
export class RegistrationNotices {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Call it inside the transaction that creates the partner. Many registrations at once are not mailed one by one. */
  send({ companyName, name, email, ip }: PendingRegistration): void {
    const { db, clock, limits, mailer } = this.#dependencies
    const isFull = () => limits.retryAfterMs('company_news', 'all') > 0
    if (isFull()) return
    limits.count('company_news', 'all')
    const data = { companyName, registrant: name, registrantEmail: email, ip, at: isoNow(clock), isLast: isFull() }
    for (const admin of activePlatformAdmins(db))
      mailer.send({ kind: 'company-registered', to: admin.email, data: { name: admin.name, ...data } })
  }
}
