import type { Updateable } from 'kysely'
import { enrollUrl } from '../../../../shared/api/auth.ts'
import type { updateMe } from '../../../../shared/api/profile.ts'
import type { BodyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError, fieldError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { changeOf } from '../../../platform/updates.ts'
import type { Mailer } from '../../messaging/index.ts'
import { aboutOwner, assertUnchanged, ownerOf } from '../factors/owner.ts'
import type { Proof } from '../factors/proof.ts'
import { isPasswordClosed, reachesBeyondProvider } from '../policy/sso-enforcement.ts'
import type { AddressLinks } from '../registration/address-links.ts'
import { findSession, type User } from '../store.ts'
import type { UserTable } from '../tables.ts'

const maxPreferencesBytes = 64 * 1024

type Body = BodyOf<typeof updateMe>

interface Parts {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  mailer: Mailer
  proof: Proof
  addressLinks: AddressLinks
  isTwoFactorEnabled: boolean
}

/** What somebody changes about their own account. Another address waits until its link was followed. */
export class ProfileChanges {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** True when a link to another address is on its way. */
  async update(actor: UserActor, body: Body): Promise<boolean> {
    const { db } = this.#parts
    const { name, email, preferences } = body
    if (name === undefined && email === undefined && preferences === undefined) throw new AppError('no_valid_updates')
    const user = ownerOf(db, actor)
    const newEmail = email === user.email ? undefined : email
    const spendProof = newEmail === undefined ? () => {} : await this.#assertMayMove(actor, user, body)
    db.transaction(() => {
      const before = ownerOf(db, actor)
      const changedFields = this.#saveAtOnce(before, body)
      if (newEmail !== undefined) {
        assertUnchanged(db, actor, user)
        spendProof()
        this.#recordAddress(actor, newEmail, this.#voucherOf(actor, body))
        changedFields.push('email')
      }
      this.#recordEdit(actor, before, changedFields, body)
    })
    return newEmail !== undefined
  }

  /** Takes back the wish for another address. It only makes the account safer, so nothing has to be shown for it. */
  withdrawEmail(actor: UserActor): void {
    const { db, clock, audit, addressLinks } = this.#parts
    db.transaction(() => {
      const { pending_email: newEmail } = ownerOf(db, actor)
      if (newEmail === null) throw new AppError('no_pending_email')
      db.run(
        q
          .updateTable('users')
          .set({ pending_email: null, pending_email_requested_at: null, updated_at: isoNow(clock) })
          .where('id', '=', actor.userId),
      )
      addressLinks.withdraw(actor.userId, 'email_change')
      audit(actor, { ...aboutOwner(actor), action: 'user.email.change.withdrawn', details: { newEmail } })
    })
  }

  /** The address is the way back into the account, so moving it takes all that guards the account. */
  async #assertMayMove(actor: UserActor, user: User, body: Body): Promise<() => void> {
    const { db, proof, limits, isTwoFactorEnabled } = this.#parts
    const { currentPassword, stepUpGrantId } = body
    const isBeyond = reachesBeyondProvider(db, user, this.#voucherOf(actor, body))
    if (isBeyond || isPasswordClosed(db, user)) throw new AppError('sso_email_closed')
    if (actor.mfaRequired) throw new AppError('mfa_enrollment_first', { enrollUrl })
    if (user.password_hash === null && !user.mfa_enabled) throw new AppError('email_change_needs_factor')
    await proof.assertOwner(actor, user, currentPassword, 'email-change', true)
    const spend = isTwoFactorEnabled ? proof.assertFactor(actor, user, stepUpGrantId, 'change_email') : () => {}
    // The mail goes to an address that need not be the caller's.
    limits.consume('resend_verification_hour', user.id)
    return spend
  }

  /** The identity provider by whose word somebody acts who shows no password. */
  #voucherOf({ sessionId }: UserActor, { currentPassword }: Body): string | null {
    return currentPassword === undefined ? (findSession(this.#parts.db, sessionId)?.sso_provider_id ?? null) : null
  }

  /** Tells which fields it changed. */
  #saveAtOnce(user: User, { name, preferences }: Body): string[] {
    const { db, clock } = this.#parts
    const columns: Updateable<UserTable> = {
      ...(name !== undefined && name !== user.name && { name }),
      ...(preferences && { preferences: mergedPreferences(user.preferences, preferences) }),
    }
    const changedFields = Object.keys(columns)
    if (changedFields.length > 0)
      db.run(
        q
          .updateTable('users')
          .set({ ...columns, updated_at: isoNow(clock) })
          .where('id', '=', user.id),
      )
    return changedFields
  }

  /** One event for all that was edited at once. Of the address it names the field only: it has not moved yet. */
  #recordEdit(actor: UserActor, before: User, changedFields: readonly string[], { name }: Body): void {
    if (changedFields.length === 0) return
    this.#parts.audit(actor, {
      ...aboutOwner(actor),
      action: 'user.profile.update',
      details: changeOf(changedFields, { name: before.name }, { name }),
    })
  }

  #recordAddress(actor: UserActor, newEmail: string, providerId: string | null): void {
    const { db, clock, audit, mailer, addressLinks } = this.#parts
    const now = isoNow(clock)
    db.run(
      q
        .updateTable('users')
        .set((set) => ({
          pending_email: newEmail,
          pending_email_requested_at: now,
          email_epoch: set('email_epoch', '+', 1),
          updated_at: now,
        }))
        .where('id', '=', actor.userId),
    )
    const user = ownerOf(db, actor)
    addressLinks.sendForChange(user, newEmail, providerId)
    mailer.send({ kind: 'email-change-requested', to: user.email, data: { name: user.name, newEmail } })
    audit(actor, { ...aboutOwner(actor), action: 'user.email.change.requested', details: { newEmail } })
  }
}

function mergedPreferences(stored: string, added: Record<string, unknown>): string {
  const merged = JSON.stringify({ ...(JSON.parse(stored) as object), ...added })
  if (Buffer.byteLength(merged) > maxPreferencesBytes) throw fieldError('preferences', 'Must not exceed 64 KiB')
  return merged
}
