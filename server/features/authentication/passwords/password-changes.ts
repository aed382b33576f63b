import type { AuditAction } from '../../../../shared/audit-actions/index.ts'
import type { Database } from '../../../db/database.ts'
import type { Actor, Origin, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError, fieldError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import {
  aboutPerson,
  findUser,
  isPasswordClosed,
  orgIdOf,
  personActor,
  type User,
  updateUser,
} from '../../access/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { signedInUser } from '../sessions/signed-in-user.ts'
import type { CurrentPassword } from './current-password.ts'
import { hashPassword, passwordMatches } from './hashing.ts'
import { personalWords } from './personal-words.ts'
import type { OpenReset, ResetLinks } from './reset-links.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'
import { assertStrong } from './strength.ts'

const presentPassword = 'That is the password you have now. Choose another one.'

interface Dependencies {
  db: Database
  clock: Clock
  sessions: Sessions
  limits: RateLimits
  signInAttempts: SignInAttempts
  audit: Audit
  mailer: Mailer
  resetLinks: ResetLinks
  currentPassword: CurrentPassword
}

/** Sets a new password, by a mailed link or with the old password. Ends all sessions and invalidates older links. */
export class PasswordChanges {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * A refused password does not use the link up.
   * @throws AppError `invalid_reset_token`, `sso_reset_closed`, `validation_failed` for a weak or unchanged password
   */
  async reset(token: string, password: string, origin: Origin): Promise<void> {
    const { db, limits, signInAttempts, resetLinks } = this.#dependencies
    const { user } = this.#openOrSpend(token, origin)
    assertStrong(password, personalWords(db, user))
    // The link stays good when the password is unchanged, so guesses of the present password are limited.
    limits.consume('current_password', `${user.id} reset`)
    if (await passwordMatches(user.password_hash, password)) throw fieldError('password', presentPassword)
    const passwordHash = await hashPassword(password)
    db.transaction(() => {
      const { link, user, membership } = resetLinks.open(token)
      link.consume()
      const orgId = membership && orgIdOf(membership)
      this.#save(user, passwordHash, personActor(user, membership, origin), orgId, 'user.password.reset')
      signInAttempts.clear(origin, user.email)
    })
  }

  /**
   * @returns the user as saved
   * @throws AppError `sso_password_closed`, `current_password_incorrect`, `validation_failed`
   */
  async change(actor: UserActor, currentPassword: string, newPassword: string): Promise<User> {
    const { db } = this.#dependencies
    const user = signedInUser(db, actor)
    if (isPasswordClosed(db, user)) throw new AppError('sso_password_closed')
    await this.#dependencies.currentPassword.assert(actor, user, currentPassword, 'change-password')
    if (newPassword === currentPassword) throw fieldError('newPassword', presentPassword)
    assertStrong(newPassword, personalWords(db, user), 'newPassword')
    const passwordHash = await hashPassword(newPassword)
    db.transaction(() => {
      const now = findUser(db, user.id)
      // The password was changed meanwhile: the one that was checked is no longer current.
      if (now?.auth_epoch !== user.auth_epoch) throw new AppError('current_password_incorrect')
      this.#save(now, passwordHash, actor, actor.orgId, 'user.password.change')
    })
    return { ...user, password_hash: passwordHash }
  }

  /** Where single sign-on is enforced by now, a link is used up, so that it does not work once enforcement ends. */
  #openOrSpend(token: string, origin: Origin): OpenReset {
    const { db, resetLinks, audit } = this.#dependencies
    const opened = resetLinks.find(token)
    if (!isPasswordClosed(db, opened.user)) return opened
    const { link, user, membership } = opened
    db.transaction(() => {
      link.consume()
      audit(personActor(user, membership, origin), {
        ...aboutPerson(user, membership),
        action: 'user.password.reset',
        details: { reason: 'sso_required' },
        result: 'denied',
      })
    })
    throw new AppError('sso_reset_closed')
  }

  #save(user: User, passwordHash: string, actor: Actor, orgId: string | null, action: AuditAction): void {
    const { db, clock, sessions, limits, audit, mailer } = this.#dependencies
    const now = isoNow(clock)
    updateUser(db, user.id, {
      password_hash: passwordHash,
      password_changed_at: now,
      auth_epoch: user.auth_epoch + 1,
      password_reset_epoch: user.password_reset_epoch + 1,
      // Somebody who knew the old password may have asked for this change, to get back in.
      pending_email: null,
      pending_email_requested_at: null,
      updated_at: now,
    })
    sessions.revokeAll(user.id, action)
    limits.clear('login_lockout', user.id)
    mailer.send({ kind: 'password-changed', to: user.email, data: { name: user.name, at: now } })
    audit(actor, { action, resourceType: 'user', resourceId: user.id, resourceName: user.email, orgId })
  }
}
