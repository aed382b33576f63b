import type { Database } from '../../../db/database.ts'
import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { MailLink, MailLinks } from '../one-time-secrets/mail-links.ts'
import { PasswordLock } from './password-lock.ts'
import { aboutPerson, personOf } from '../../access/memberships/person.ts'
import { findMembership, findUser, type User } from '../../access/users/store.ts'

interface Unlock {
  email: string
  /** Of the browser whose lock it opens; null for all unknown ones. */
  browserId: string | null
}

interface OpenUnlock {
  link: MailLink<Unlock>
  user: User
  lock: PasswordLock
}

interface Parts {
  db: Database
  limits: RateLimits
  links: MailLinks
  audit: Audit
}

/** Links that open a lock before it opens by itself, for those whose mailbox it is. */
export class UnlockLinks {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Good for one use, and no longer than the lock; the id that the mail names. */
  issue(user: User, browserId: string | null, lifeSeconds: number): string {
    const payload: Unlock = { email: user.email, browserId }
    return this.#parts.links.issue('account_unlock', { userId: user.id, payload, lifeSeconds })
  }

  /** Whether a link would still open something. Looking at it opens nothing: programs that read mail follow links, too. */
  check(token: string, origin: Origin): { email: string } {
    this.#parts.limits.consume('unlock_link', limitKey(origin.ip))
    return { email: this.#open(token).user.email }
  }

  /** A refusal because of the limit keeps the link for later. */
  unlock(token: string, origin: Origin): User {
    const { db, limits, audit } = this.#parts
    limits.consume('unlock_link', limitKey(origin.ip))
    return db.transaction(() => {
      const { link, user, lock } = this.#open(token)
      limits.consume('account_unlock', user.id)
      link.consume()
      lock.open()
      const membership = findMembership(db, user)
      audit(personOf(user, membership, origin), {
        ...aboutPerson(user, membership),
        action: 'user.unlocked',
        details: { browser: link.payload.browserId === null ? 'unknown' : 'known' },
      })
      return user
    })
  }

  #open(token: string): OpenUnlock {
    const { db, limits, links } = this.#parts
    const link = links.open<Unlock>('account_unlock', token)
    const user = link?.userId && findUser(db, link.userId)
    if (!link || !user || user.status === 'disabled' || user.email !== link.payload.email)
      throw new AppError('invalid_unlock_link')
    const lock = new PasswordLock(limits, user.id, link.payload.browserId)
    if (lock.shutMs() === 0) throw new AppError('invalid_unlock_link')
    return { link, user, lock }
  }
}
