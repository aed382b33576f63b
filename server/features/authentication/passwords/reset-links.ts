import type { Database } from '../../../db/database.ts'
import { notBefore } from '../../../lib/response-floor.ts'
import type { Origin } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { limitKey } from '../../../platform/client-address.ts'
import { type Clock, iso, isoNow, minute, second } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { TaskQueue, Tasks } from '../../../platform/tasks/index.ts'
import {
  aboutPerson,
  acceptsPassword,
  findMembership,
  findPasswordMembership,
  findUser,
  findUserByEmail,
  type Invitation,
  isEnterable,
  isPasswordClosed,
  type Membership,
  offeredMembership,
  openInvitationsOf,
  personActor,
  type User,
  updateUser,
} from '../../access/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { MailLink, MailLinks } from '../one-time-secrets/mail-links.ts'
import { PasswordLock } from './password-lock.ts'
import { personalWords } from './personal-words.ts'
import type { UnlockLinks } from './unlock-links.ts'

const lifeSeconds = 3600

export interface OpenReset {
  link: MailLink<'password_reset'>
  user: User
  /** Null for a user without a membership who has an open invitation. */
  membership: Membership | null
}

interface Dependencies {
  db: Database
  clock: Clock
  limits: RateLimits
  tasks: Tasks
  mailer: Mailer
  mailLinks: MailLinks
  unlockLinks: UnlockLinks
  audit: Audit
  /** No answer takes less time. */
  signInFloorMs: number
}

/** Mailed links that let a user set a new password: who gets one, and which ones are still good. */
export class ResetLinks {
  readonly #dependencies: Dependencies
  readonly #answers: TaskQueue<{ email: string; origin: Origin }>
  readonly #lockNotices: TaskQueue<{ userId: string; browserId?: string | null }>

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.#answers = dependencies.tasks.register({
      name: 'password-reset.answer',
      description: 'Emails a person who requested a password reset',
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      write: ({ email, origin }) => this.#sendOnRequest(email, origin),
    })
    this.#lockNotices = dependencies.tasks.register({
      name: 'account.announce-lock',
      description: 'Emails a person whose account was locked',
      keepMs: 0,
      byHand: ['retry', 'cancel'],
      write: ({ userId, browserId }) => this.#sendOnLock(userId, browserId ?? null),
    })
  }

  /** Takes the same time and returns the same for every address: the account is looked up afterwards. */
  request(email: string, origin: Origin): Promise<void> {
    return notBefore(this.#dependencies.signInFloorMs, async () => {
      const { limits, db } = this.#dependencies
      db.transaction(() => {
        if (limits.retryAfterMs('forgot_password', limitKey(origin.ip)) > 0) return
        limits.count('forgot_password', limitKey(origin.ip))
        this.#answers.add({ input: { email, origin } })
      })
    })
  }

  /** Mails a reset link and an unlock link. Call it inside the transaction that counted the last wrong password. */
  announceLock({ id }: User, browserId: string | null): void {
    this.#lockNotices.add({ input: { userId: id, browserId } })
  }

  /**
   * The user whose password a token may set. A newer link, a new password and a new address each invalidate it.
   * @throws AppError `invalid_reset_token`; `sso_reset_closed` where single sign-on is enforced everywhere by now
   */
  open(token: string): OpenReset {
    const opened = this.find(token)
    if (isPasswordClosed(this.#dependencies.db, opened.user)) throw new AppError('sso_reset_closed')
    return opened
  }

  /** As `open`, also where single sign-on is enforced. */
  find(token: string): OpenReset {
    const { db, mailLinks } = this.#dependencies
    const link = mailLinks.open('password_reset', token)
    const user = link?.userId && findUser(db, link.userId)
    const membership = user && user.status !== 'disabled' ? findMembership(db, user) : null
    const isCurrent =
      user && link && user.password_reset_epoch === link.payload.epoch && user.email === link.payload.email
    if (!isCurrent || !(membership || this.#isInvited(user))) throw new AppError('invalid_reset_token')
    return { link, user, membership: membership ?? null }
  }

  /** Checks a link without using it up. */
  check(token: string, origin: Origin): { email: string; about: string[] } {
    const { db, limits } = this.#dependencies
    limits.consume('reset_link_check', limitKey(origin.ip))
    const { user } = this.open(token)
    return { email: user.email, about: [...personalWords(db, user)] }
  }

  #sendOnRequest(email: string, origin: Origin): void {
    const { db, audit, limits, mailer } = this.#dependencies
    const user = findUserByEmail(db, email)
    if (!user || !this.#isEligible(user)) return
    const membership = findPasswordMembership(db, user)
    // Requests from many addresses must not fill the mailbox of one user.
    if (limits.retryAfterMs('forgot_password_account', user.id) > 0) return
    limits.count('forgot_password_account', user.id)
    const linkId = this.#issue(user)
    mailer.send({ kind: 'password-reset', to: user.email, data: { name: user.name, linkId }, lifeSeconds })
    audit(personActor(user, membership, origin), {
      ...aboutPerson(user, membership),
      action: 'user.password.reset.requested',
    })
  }

  #sendOnLock(userId: string, browserId: string | null): void {
    const { db, clock, limits, mailer, unlockLinks } = this.#dependencies
    const user = findUser(db, userId)
    const lockedMs = new PasswordLock(limits, userId, browserId).remainingMs()
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

  /** Whether a password would let this user sign in anywhere. */
  #isEligible(user: User): boolean {
    if (user.status === 'disabled') return false
    return findPasswordMembership(this.#dependencies.db, user) !== null || this.#isInvited(user)
  }

  /** A user without a membership accepts an invitation by signing in. */
  #isInvited(user: User): boolean {
    const { db, clock } = this.#dependencies
    return (
      findMembership(db, user) === null && openInvitationsOf(db, user.id, isoNow(clock)).some(acceptsPasswordFor(db))
    )
  }

  #issue(user: User): string {
    const epoch = user.password_reset_epoch + 1
    updateUser(this.#dependencies.db, user.id, { password_reset_epoch: epoch })
    const payload = { epoch, email: user.email }
    return this.#dependencies.mailLinks.issue('password_reset', { userId: user.id, payload, lifeSeconds })
  }
}

const acceptsPasswordFor = (db: Database) => (invitation: Invitation) =>
  isEnterable(db, invitation.partner_id, invitation.org_id) && acceptsPassword(db, offeredMembership(invitation))
