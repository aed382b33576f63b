import { sql, type Updateable } from 'kysely'
import { enrollUrl } from '../../../../shared/api/auth.ts'
import type { updateMe } from '../../../../shared/api/profile.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { fromJson, toJson } from '../../../lib/json.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError, fieldError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { changeOf } from '../../../platform/updates.ts'
import type { Tables } from '../../../tables.ts'
import { isPasswordClosed, reachesBeyondProvider, type User, updateUser } from '../../access/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { AddressLinks } from '../email-address/address-links.ts'
import type { Reauthentication } from '../factors/reauthentication.ts'
import { aboutOwnAccount, assertSessionUnchanged, signedInUser } from '../sessions/signed-in-user.ts'
import { findSession } from '../sessions/store.ts'

const maxPreferencesBytes = 64 * 1024

type ProfileUpdate = BodyOf<typeof updateMe>

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  mailer: Mailer
  reauthentication: Reauthentication
  addressLinks: AddressLinks
  isTwoFactorEnabled: boolean
}

/** Changes to the caller's own account. A new address is saved once the link mailed to it is followed. */
export class ProfileChanges {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** @returns whether a link to a new address was mailed */
  async update(actor: UserActor, body: ProfileUpdate): Promise<boolean> {
    const { db } = this.#dependencies
    const { name, email, preferences } = body
    if (name === undefined && email === undefined && preferences === undefined) throw new AppError('no_valid_updates')
    const user = signedInUser(db, actor)
    const newEmail = email === user.email ? undefined : email
    const spendProof = newEmail === undefined ? () => {} : await this.#assertMayChangeAddress(actor, user, body)
    db.transaction(() => {
      const before = signedInUser(db, actor)
      const changedFields = this.#saveDetails(before, body)
      if (newEmail !== undefined) {
        assertSessionUnchanged(db, actor, user)
        spendProof()
        this.#savePendingAddress(actor, newEmail, this.#providerOf(actor, body))
        changedFields.push('email')
      }
      this.#recordEdit(actor, before, changedFields, body)
    })
    return newEmail !== undefined
  }

  /** Cancels a change of address. It makes the account no less secure, so no re-authentication is required. */
  withdrawEmail(actor: UserActor): void {
    const { db, clock, audit, addressLinks } = this.#dependencies
    db.transaction(() => {
      const { pending_email: newEmail } = signedInUser(db, actor)
      if (newEmail === null) throw new AppError('no_pending_email')
      updateUser(db, actor.userId, {
        pending_email: null,
        pending_email_requested_at: null,
        updated_at: isoNow(clock),
      })
      addressLinks.withdraw(actor.userId, 'email_change')
      audit(actor, { ...aboutOwnAccount(actor), action: 'user.email.change.withdrawn', details: { newEmail } })
    })
  }

  /** The address is used to recover the account, so changing it requires password and second factor. */
  async #assertMayChangeAddress(actor: UserActor, user: User, body: ProfileUpdate): Promise<() => void> {
    const { db, reauthentication, limits, isTwoFactorEnabled } = this.#dependencies
    const { currentPassword, stepUpGrantId } = body
    const isBeyond = reachesBeyondProvider(db, user, this.#providerOf(actor, body))
    if (isBeyond || isPasswordClosed(db, user)) throw new AppError('sso_email_closed')
    if (actor.mfaRequired) throw new AppError('mfa_enrollment_first', { enrollUrl })
    if (user.password_hash === null && !user.mfa_enabled) throw new AppError('email_change_needs_factor')
    await reauthentication.assertOwner(actor, user, currentPassword, 'email-change', true)
    const useGrant = isTwoFactorEnabled
      ? reauthentication.assertFactor(actor, user, stepUpGrantId, 'change_email')
      : () => {}
    // Limited, because the mail goes to an address that may be anybody's.
    limits.consume('resend_verification_hour', user.id)
    return useGrant
  }

  /** The identity provider of the session, for a request without the password. */
  #providerOf({ sessionId }: UserActor, { currentPassword }: ProfileUpdate): string | null {
    return currentPassword === undefined
      ? (findSession(this.#dependencies.db, sessionId)?.sso_provider_id ?? null)
      : null
  }

  /**
   * Saves name and preferences.
   * @returns the fields that changed
   */
  #saveDetails(user: User, { name, preferences }: ProfileUpdate): string[] {
    const { db, clock } = this.#dependencies
    const columns: Updateable<Tables['users']> = {
      ...(name !== undefined && name !== user.name && { name }),
      ...(preferences && { preferences: mergedPreferences(user.preferences, preferences) }),
    }
    const changedFields = Object.keys(columns)
    if (changedFields.length > 0) updateUser(db, user.id, { ...columns, updated_at: isoNow(clock) })
    return changedFields
  }

  /** One event for the whole update. Of the address it only names the field, because that is not changed yet. */
  #recordEdit(actor: UserActor, before: User, changedFields: readonly string[], { name }: ProfileUpdate): void {
    if (changedFields.length === 0) return
    this.#dependencies.audit(actor, {
      ...aboutOwnAccount(actor),
      action: 'user.profile.update',
      details: changeOf(changedFields, { name: before.name }, { name }),
    })
  }

  #savePendingAddress(actor: UserActor, newEmail: string, providerId: string | null): void {
    const { db, clock, audit, mailer, addressLinks } = this.#dependencies
    const now = isoNow(clock)
    updateUser(db, actor.userId, {
      pending_email: newEmail,
      pending_email_requested_at: now,
      email_epoch: sql`email_epoch + 1`,
      updated_at: now,
    })
    const user = signedInUser(db, actor)
    addressLinks.sendForChange(user, newEmail, providerId)
    mailer.send({ kind: 'email-change-requested', to: user.email, data: { name: user.name, newEmail } })
    audit(actor, { ...aboutOwnAccount(actor), action: 'user.email.change.requested', details: { newEmail } })
  }
}

function mergedPreferences(stored: User['preferences'], added: Record<string, unknown>): User['preferences'] {
  const merged = toJson({ ...fromJson(stored), ...added })
  if (Buffer.byteLength(merged) > maxPreferencesBytes) throw fieldError('preferences', 'Must not exceed 64 KiB')
  return merged
}
