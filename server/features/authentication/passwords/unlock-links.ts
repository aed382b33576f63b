import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { aboutPerson, findMembership, findUser, personActor, type User } from '../../access/index.ts'
import type { MailLink, MailLinks } from '../one-time-secrets/mail-links.ts'
import { PasswordLock } from './password-lock.ts'

interface OpenUnlock {
  link: MailLink<'account_unlock'>
  user: User
  lock: PasswordLock
}

interface Dependencies {
  db: Database
  limits: RateLimits
  mailLinks: MailLinks
  audit: Audit
}

/** Mailed links with which the owner of an account releases a password lock before it ends by itself. */
export class UnlockLinks {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** @returns the id of a link that is good for one use, and as long as the lock lasts */
  issue(user: User, browserId: string | null, lifeSeconds: number): string {
    const payload = { email: user.email, browserId }
    return this.#dependencies.mailLinks.issue('account_unlock', { userId: user.id, payload, lifeSeconds })
  }

  /** Checks a link without using it: programs that scan mail follow links, too. */
  check(token: string, origin: Origin): { email: string } {
    this.#dependencies.limits.consume('unlock_link', limitKey(origin.ip))
    return { email: this.#open(token).user.email }
  }

  /** A refusal because of the rate limit does not use the link up. */
  unlock(token: string, origin: Origin): User {
    const { db, limits, audit } = this.#dependencies
    limits.consume('unlock_link', limitKey(origin.ip))
    return db.transaction(() => {
      const { link, user, lock } = this.#open(token)
      limits.consume('account_unlock', user.id)
      link.consume()
      lock.release()
      const membership = findMembership(db, user)
      audit(personActor(user, membership, origin), {
        ...aboutPerson(user, membership),
        action: 'user.unlocked',
        details: { browser: link.payload.browserId === null ? 'unknown' : 'known' },
      })
      return user
    })
  }

  #open(token: string): OpenUnlock {
    const { db, limits, mailLinks } = this.#dependencies
    const link = mailLinks.open('account_unlock', token)
    const user = link?.userId && findUser(db, link.userId)
    if (!link || !user || user.status === 'disabled' || user.email !== link.payload.email)
      throw new AppError('invalid_unlock_link')
    const lock = new PasswordLock(limits, user.id, link.payload.browserId)
    if (lock.remainingMs() === 0) throw new AppError('invalid_unlock_link')
    return { link, user, lock }
  }
}
