import type { Database } from '../../../db/database.ts'
import { notBefore } from '../../../lib/response-floor.ts'
import type { Origin } from '../../../platform/actor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, isoNow, second } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { TaskQueue, Tasks } from '../../../platform/tasks/index.ts'
import { anyUserExists, findUserByEmail } from '../../access/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { MailLinks } from '../one-time-secrets/mail-links.ts'
import { hashPassword } from '../passwords/hashing.ts'
import { assertStrong } from '../passwords/strength.ts'

const lifeSeconds = 3600

export interface Registrant {
  companyName: string
  name: string
  email: string
  password: string
}

interface Dependencies {
  db: Database
  clock: Clock
  limits: RateLimits
  tasks: Tasks
  mailer: Mailer
  mailLinks: MailLinks
  /** No answer takes less time. */
  signInFloorMs: number
}

/** Requests to register a partner. Whether the address has an account is looked up afterwards, and told by mail only. */
export class Registration {
  readonly #dependencies: Dependencies
  readonly #answers: TaskQueue<{ linkId: string }>

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.#answers = dependencies.tasks.register({
      name: 'registration.answer',
      description: 'Emails a person who registered a company',
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      write: ({ linkId }) => this.#send(linkId),
    })
  }

  /**
   * Does the same work and returns the same for every address.
   * @throws AppError `validation_failed`, `registration_rate_limited`
   */
  request({ password, ...details }: Registrant, origin: Origin): Promise<void> {
    return notBefore(this.#dependencies.signInFloorMs, async () => {
      const { db, clock, limits, mailLinks } = this.#dependencies
      assertStrong(password, [details.email, details.name, details.companyName])
      limits.consume('register_partner', limitKey(origin.ip), 'registration_rate_limited')
      const payload = {
        ...details,
        passwordHash: await hashPassword(password),
        termsAcceptedAt: isoNow(clock),
        ip: origin.ip,
        userAgent: origin.userAgent,
      }
      db.transaction(() => {
        const linkId = mailLinks.issue('pending_registration', { userId: null, payload, lifeSeconds })
        this.#answers.add({ input: { linkId } })
      })
    })
  }

  /** The endpoint of old clients: checks the same and creates nothing. */
  requestNothing({ email, name, password }: Omit<Registrant, 'companyName'>, origin: Origin): Promise<void> {
    return notBefore(this.#dependencies.signInFloorMs, async () => {
      assertStrong(password, [email, name])
      this.#dependencies.limits.consume('register', limitKey(origin.ip), 'registration_rate_limited')
      await hashPassword(password)
    })
  }

  #send(linkId: string): void {
    const { db, clock, mailer, mailLinks } = this.#dependencies
    const link = mailLinks.find('pending_registration', linkId)
    if (!link) return
    const { email, name, companyName } = link.payload
    const holder = findUserByEmail(db, email)
    if (holder) mailer.send({ kind: 'registration-attempted', to: holder.email, data: { name: holder.name } })
    // The first account of an appliance is made with the setup code, not by registration.
    if (holder || !anyUserExists(db)) link.consume()
    else {
      const lifeSeconds = Math.floor((link.expiresAtMs - clock.now()) / second)
      mailer.send({ kind: 'verify-registration', to: email, data: { name, companyName, linkId }, lifeSeconds })
    }
  }
}
