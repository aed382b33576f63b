import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, iso, isoNow, minute, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { TaskQueue, Tasks } from '../../../platform/tasks/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { MailLink, MailLinks } from '../mail-links.ts'
import { type Invitation, offeredMembership, openInvitationsOf } from '../people/invitation-store.ts'
import { findPasswordMembership, isPasswordClosed, takesPassword } from '../policy/sso-enforcement.ts'
import { PasswordLock } from '../sign-in/password-lock.ts'
import { aboutPerson, personOf } from '../sign-in/person.ts'
import { notBefore } from '../sign-in/sign-in.ts'
import { findMembership, findUser, findUserByEmail, isEnterable, type Membership, type User } from '../store.ts'
import type { UnlockLinks } from './unlock-links.ts'
import { wordsAbout } from './words-about.ts'

const lifeSeconds = 3600

interface ResetLink {
  epoch: number
  email: string
}

export interface OpenReset {
  link: MailLink<ResetLink>
  user: User
  /** Null for somebody who belongs nowhere, but is invited. */
  membership: Membership | null
}

interface Parts {
  db: Database
  clock: Clock
  limits: RateLimits
  tasks: Tasks
  mailer: Mailer
  links: MailLinks
  unlockLinks: UnlockLinks
  audit: Audit
  /** No answer comes sooner. */
  signInFloorMs: number
}

/** Links that let somebody set another password: who gets one, and whose is still good. */
export class ResetLinks {
  readonly #parts: Parts
  readonly #answers: TaskQueue<{ email: string; origin: Origin }>
  readonly #lockNotices: TaskQueue<{ userId: string; browserId?: string | null }>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#answers = parts.tasks.register({
      name: 'password-reset.answer',
      description: 'Writes to somebody who asked for another password',
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      write: ({ email, origin }) => this.#sendOnRequest(email, origin),
    })
    this.#lockNotices = parts.tasks.register({
      name: 'account.announce-lock',
      description: 'Writes to somebody whose account was locked',
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      write: ({ userId, browserId }) => this.#sendOnLock(userId, browserId ?? null),
    })
  }

  /** Answers everybody alike and at the same time; whether there is such an account is found out afterwards. */
  request(email: string, origin: Origin): Promise<void> {
    return notBefore(this.#parts.signInFloorMs, async () => {
      const { limits, db } = this.#parts
      db.transaction(() => {
        if (limits.retryAfterMs('forgot_password', limitKey(origin.ip)) > 0) return
        limits.count('forgot_password', limitKey(origin.ip))
        this.#answers.add({ input: { email, origin } })
      })
    })
  }

  /** Too many wrong passwords; inside the transaction that counted the last one. */
  announceLock({ id }: User, browserId: string | null): void {
    this.#lockNotices.add({ input: { userId: id, browserId } })
  }

  /**
   * Whose password a token may set. A newer link, another password and another address each end it; where an identity
   * provider is the only way in by now, it is good for nothing.
   */
  open(token: string): OpenReset {
    const opened = this.find(token)
    if (isPasswordClosed(this.#parts.db, opened.user)) throw new AppError('sso_reset_closed')
    return opened
  }

  /** As `open`, whether or not the password would be of use. */
  find(token: string): OpenReset {
    const { db, links } = this.#parts
    const link = links.open<ResetLink>('password_reset', token)
    const user = link?.userId && findUser(db, link.userId)
    const membership = user && user.status !== 'disabled' ? findMembership(db, user) : null
    const isCurrent =
      user && link && user.password_reset_epoch === link.payload.epoch && user.email === link.payload.email
    if (!isCurrent || !(membership || this.#isInvited(user))) throw new AppError('invalid_reset_token')
    return { link, user, membership: membership ?? null }
  }

  /** Whether a link still works; looking at it costs it nothing. */
  check(token: string, origin: Origin): { email: string; about: string[] } {
    const { db, limits } = this.#parts
    limits.consume('reset_link_check', limitKey(origin.ip))
    const { user } = this.open(token)
    return { email: user.email, about: [...wordsAbout(db, user)] }
  }

  #sendOnRequest(email: string, origin: Origin): void {
    const { db, audit, limits, mailer } = this.#parts
    const user = findUserByEmail(db, email)
    if (!user || !this.#isEligible(user)) return
    const membership = findPasswordMembership(db, user)
    // Whoever asks for somebody else, from many addresses, must not fill their mailbox.
    if (limits.retryAfterMs('forgot_password_account', user.id) > 0) return
    limits.count('forgot_password_account', user.id)
    const linkId = this.#issue(user)
    mailer.send({ kind: 'password-reset', to: user.email, data: { name: user.name, linkId }, lifeSeconds })
    audit(personOf(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'user.password.reset.requested',
    })
  }

  #sendOnLock(userId: string, browserId: string | null): void {
    const { db, clock, limits, mailer, unlockLinks } = this.#parts
    const user = findUser(db, userId)
    const lockedMs = new PasswordLock(limits, userId, browserId).shutMs()
    if (!user || lockedMs === 0 || !this.#isEligible(user)) return
    const data = {
      name: user.name,
      minutes: Math.ceil(lockedMs / minute),
      until: iso(clock.now() + lockedMs),
      isKnownBrowser: browserId !== null,
      linkId: this.#issue(user),
      unlockId: unlockLinks.issue(user, browserId, Math.ceil(lockedMs / second)),
    }
    mailer.send({ kind: 'account-locked', to: user.email, data, lifeSeconds })
  }

  /** Whether the password would let them in anywhere. */
  #isEligible(user: User): boolean {
    if (user.status === 'disabled') return false
    return findPasswordMembership(this.#parts.db, user) !== null || this.#isInvited(user)
  }

  /** Who belongs nowhere accepts an invitation by signing in. */
  #isInvited(user: User): boolean {
    const { db, clock } = this.#parts
    return findMembership(db, user) === null && openInvitationsOf(db, user.id, isoNow(clock)).some(takesSignIn(db))
  }

  #issue(user: User): string {
    const epoch = user.password_reset_epoch + 1
    this.#parts.db.run(q.updateTable('users').set({ password_reset_epoch: epoch }).where('id', '=', user.id))
    const payload: ResetLink = { epoch, email: user.email }
    return this.#parts.links.issue('password_reset', { userId: user.id, payload, lifeSeconds })
  }
}

const takesSignIn = (db: Database) => (invitation: Invitation) =>
  isEnterable(db, invitation.partner_id, invitation.org_id) && takesPassword(db, offeredMembership(invitation))
