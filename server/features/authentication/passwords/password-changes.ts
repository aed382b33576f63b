import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { Actor, Origin, UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError, fieldError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Mailer } from '../../messaging/index.ts'
import { ownerOf } from '../sessions/account-owner.ts'
import { isPasswordClosed } from '../../access/sso/enforcement.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { aboutPerson, personOf } from '../../access/memberships/person.ts'
import { attemptKey } from '../sign-in/sign-in.ts'
import { findUser, orgIdOf, type User } from '../../access/users/store.ts'
import type { CurrentPassword } from './current-password.ts'
import { hashPassword, passwordMatches } from './hashing.ts'
import type { OpenReset, ResetLinks } from './reset-links.ts'
import { assertStrong } from './strength.ts'
import { wordsAbout } from './personal-words.ts'

const presentPassword = 'That is the password you have now. Choose another one.'

interface Parts {
  db: Database
  clock: Clock
  sessions: Sessions
  limits: RateLimits
  audit: Audit
  mailer: Mailer
  resetLinks: ResetLinks
  currentPassword: CurrentPassword
}

/** Another password, by link or by whoever knows the old one: every session ends, every older link is dead. */
export class PasswordChanges {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A password that is weak, or the present one, costs the link nothing. */
  async reset(token: string, password: string, origin: Origin): Promise<void> {
    const { db, limits, resetLinks } = this.#parts
    const { user } = this.#openOrSpend(token, origin)
    assertStrong(password, wordsAbout(db, user))
    // A link that survives it must not serve to find the present password out.
    limits.consume('current_password', `${user.id} reset`)
    if (await passwordMatches(user.password_hash, password)) throw fieldError('password', presentPassword)
    const passwordHash = await hashPassword(password)
    db.transaction(() => {
      const { link, user, membership } = resetLinks.open(token)
      link.consume()
      const orgId = membership && orgIdOf(membership)
      this.#save(user, passwordHash, personOf(user, membership, origin), orgId, 'user.password.reset')
      // Whoever was locked out has found the way back in.
      limits.clear('login_email', attemptKey(origin, user.email))
    })
  }

  /** The user as they are saved. */
  async change(actor: UserActor, currentPassword: string, newPassword: string): Promise<User> {
    const { db } = this.#parts
    const user = ownerOf(db, actor)
    if (isPasswordClosed(db, user)) throw new AppError('sso_password_closed')
    await this.#parts.currentPassword.assert(actor, user, currentPassword, 'change-password')
    if (newPassword === currentPassword) throw fieldError('newPassword', presentPassword)
    assertStrong(newPassword, wordsAbout(db, user), 'newPassword')
    const passwordHash = await hashPassword(newPassword)
    db.transaction(() => {
      const now = findUser(db, user.id)
      // Somebody was faster, so the password that was shown is not the current one any more.
      if (now?.auth_epoch !== user.auth_epoch) throw new AppError('current_password_incorrect')
      this.#save(now, passwordHash, actor, actor.orgId, 'user.password.change')
    })
    return { ...user, password_hash: passwordHash }
  }

  /** A link that came before single sign-on was enforced does not wait for the day it ends. */
  #openOrSpend(token: string, origin: Origin): OpenReset {
    const { db, resetLinks, audit } = this.#parts
    const opened = resetLinks.find(token)
    if (!isPasswordClosed(db, opened.user)) return opened
    const { link, user, membership } = opened
    db.transaction(() => {
      link.consume()
      audit(personOf(user, membership, origin), {
        ...aboutPerson(user, membership),
        action: 'user.password.reset',
        details: { reason: 'sso_required' },
        result: 'denied',
      })
    })
    throw new AppError('sso_reset_closed')
  }

  #save(user: User, passwordHash: string, actor: Actor, orgId: string | null, action: string): void {
    const { db, clock, sessions, limits, audit, mailer } = this.#parts
    const now = isoNow(clock)
    db.run(
      q
        .updateTable('users')
        .set({
          password_hash: passwordHash,
          password_changed_at: now,
          auth_epoch: user.auth_epoch + 1,
          password_reset_epoch: user.password_reset_epoch + 1,
          // Whoever knew the old password may have asked to move the address: that would be their way back in.
          pending_email: null,
          pending_email_requested_at: null,
          updated_at: now,
        })
        .where('id', '=', user.id),
    )
    sessions.revokeAll(user.id, action)
    limits.clear('login_lockout', user.id)
    mailer.send({ kind: 'password-changed', to: user.email, data: { name: user.name, at: now } })
    audit(actor, { action, resourceType: 'user', resourceId: user.id, resourceName: user.email, orgId })
  }
}
