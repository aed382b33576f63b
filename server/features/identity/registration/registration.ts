import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, isoNow, second } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { TaskQueue, Tasks } from '../../../platform/tasks/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { MailLinks } from '../mail-links.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { assertStrong } from '../passwords/strength.ts'
import { notBefore } from '../sign-in/sign-in.ts'
import { anyUserExists, findUserByEmail } from '../store.ts'

const lifeSeconds = 3600

export interface Registrant {
  companyName: string
  name: string
  email: string
  password: string
}

/** What waits for the link in the mail to be followed; the password itself is not kept. */
export interface PendingRegistration extends Omit<Registrant, 'password'> {
  passwordHash: string
  termsAcceptedAt: string
  ip: string
  userAgent: string | null
}

interface Parts {
  db: Database
  clock: Clock
  limits: RateLimits
  tasks: Tasks
  mailer: Mailer
  links: MailLinks
  /** No answer comes sooner. */
  signInFloorMs: number
}

/** Somebody asks for a company of their own. Whoever has an account already is found out afterwards, and told by mail. */
export class Registration {
  readonly #parts: Parts
  readonly #answers: TaskQueue<{ linkId: string }>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#answers = parts.tasks.register({
      name: 'registration.answer',
      description: 'Writes to somebody who asked for a company of their own',
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      write: ({ linkId }) => this.#send(linkId),
    })
  }

  /** The same work and the same answer for every address. */
  request({ password, ...wanted }: Registrant, origin: Origin): Promise<void> {
    return notBefore(this.#parts.signInFloorMs, async () => {
      const { db, clock, limits, links } = this.#parts
      assertStrong(password, [wanted.email, wanted.name, wanted.companyName])
      limits.consume('register_partner', limitKey(origin.ip), 'registration_rate_limited')
      const payload: PendingRegistration = {
        ...wanted,
        passwordHash: await hashPassword(password),
        termsAcceptedAt: isoNow(clock),
        ip: origin.ip,
        userAgent: origin.userAgent,
      }
      db.transaction(() => {
        const linkId = links.issue('pending_registration', { userId: null, payload, lifeSeconds })
        this.#answers.add({ input: { linkId } })
      })
    })
  }

  /** As old clients ask; checks the same and makes nothing. */
  requestNothing({ email, name, password }: Omit<Registrant, 'companyName'>, origin: Origin): Promise<void> {
    return notBefore(this.#parts.signInFloorMs, async () => {
      assertStrong(password, [email, name])
      this.#parts.limits.consume('register', limitKey(origin.ip), 'registration_rate_limited')
      await hashPassword(password)
    })
  }

  #send(linkId: string): void {
    const { db, clock, mailer, links } = this.#parts
    const link = links.find<PendingRegistration>('pending_registration', linkId)
    if (!link) return
    const { email, name, companyName } = link.payload
    const holder = findUserByEmail(db, email)
    if (holder) mailer.send({ kind: 'registration-attempted', to: holder.email, data: { name: holder.name } })
    // An appliance that nobody has set up is not to be had by mail.
    if (holder || !anyUserExists(db)) link.consume()
    else {
      const lifeSeconds = Math.floor((link.expiresAtMs - clock.now()) / second)
      mailer.send({ kind: 'verify-registration', to: email, data: { name, companyName, linkId }, lifeSeconds })
    }
  }
}
