import { randomUUIDv7 } from 'node:crypto'
import { emailAddress } from '../../shared/fields.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { openData } from '../db/open-data.ts'
import { q } from '../db/query.ts'
import type { Flag } from '../db/table.ts'
import { isPasswordClosed } from '../features/access/index.ts'
import { hashPassword, personalWords, weaknessOf } from '../features/authentication/index.ts'
import { auditLater } from '../platform/audit-later.ts'
import { isoNow, systemClock } from '../platform/clock.ts'

const closed =
  'The password does not work yet: their company or organization allows only single sign-on. An operator (see ' +
  'create-operator) can turn passwords back on.'

/** A platform admin without a membership signs in with scope `system`. */
export async function createOperator(
  config: Config,
  emailText: string,
  name: string,
  password: string,
): Promise<string> {
  const email = validEmail(emailText)
  assertStrong(password, [email, name])
  if (name.trim() === '' || name.length > 255) throw new Error('The name must be 1 to 255 characters long')
  const passwordHash = await hashPassword(password)
  const db = openData(config)
  try {
    db.transaction(() => {
      if (db.first(q.selectFrom('users').select('id').where('email', '=', email)))
        throw new Error(`A user with the email address ${email} already exists`)
      const now = isoNow(systemClock)
      const id = randomUUIDv7()
      db.run(
        q.insertInto('users').values({
          id,
          email,
          name: name.trim(),
          password_hash: passwordHash,
          status: 'active',
          is_platform_admin: 1,
          email_verified_at: now,
          password_changed_at: now,
          created_at: now,
          updated_at: now,
        }),
      )
      auditLater(db, systemClock, 'admin-shell', {
        action: 'user.create',
        resourceType: 'user',
        resourceId: id,
        resourceName: email,
        details: { scope: 'system' },
      })
    })
    return `Created the operator ${email}.`
  } finally {
    db.close()
  }
}

/** Makes an account that exists a platform admin; its address counts as confirmed, also where no mail can do that. */
export function makePlatformAdmin(config: Config, emailText: string): string {
  const email = validEmail(emailText)
  const db = openData(config)
  try {
    return db.transaction(() => {
      const user = db.first(
        q
          .selectFrom('users')
          .select(['id', 'status', 'is_platform_admin', 'email_verified_at'])
          .where('email', '=', email),
      )
      if (!user) throw new Error(`No user has the email address ${email}`)
      if (user.status !== 'active') throw new Error(`The account of ${email} is not active`)
      if (user.is_platform_admin) return `${email} is already a platform admin.`
      const email_verified_at = user.email_verified_at ?? isoNow(systemClock)
      db.run(q.updateTable('users').set({ is_platform_admin: 1, email_verified_at }).where('id', '=', user.id))
      auditLater(db, systemClock, 'admin-shell', {
        action: 'user.update',
        resourceType: 'user',
        resourceId: user.id,
        resourceName: email,
        details: { changedFields: ['isPlatformAdmin'], after: { isPlatformAdmin: true } },
      })
      return `${email} is now a platform admin.`
    })
  } finally {
    db.close()
  }
}

export async function resetPassword(
  config: Config,
  emailText: string,
  password: string,
  removeSecondFactor = false,
): Promise<string> {
  const email = validEmail(emailText)
  const db = openData(config)
  try {
    const user = db.first(
      q
        .selectFrom('users')
        .select(['id', 'email', 'name', 'is_platform_admin', 'mfa_enabled', 'mfa_method'])
        .where('email', '=', email),
    )
    if (!user) throw new Error(`No user has the email address ${email}`)
    assertStrong(password, personalWords(db, user))
    const passwordHash = await hashPassword(password)
    db.transaction(() => replacePassword(db, user, passwordHash, removeSecondFactor))
    const done = `The password of ${email} was set, and all their sessions have ended.`
    return isPasswordClosed(db, user) ? `${done}\n${closed}` : done
  } finally {
    db.close()
  }
}

interface ResetUser {
  id: string
  email: string
  mfa_enabled: Flag
  mfa_method: string | null
}

/** Ends every session of the user; part of the transaction under way. */
function replacePassword(db: Database, user: ResetUser, passwordHash: string, removeSecondFactor: boolean): void {
  const now = isoNow(systemClock)
  db.run(
    q
      .updateTable('users')
      .set((set) => ({
        password_hash: passwordHash,
        password_changed_at: now,
        pending_email: null,
        pending_email_requested_at: null,
        updated_at: now,
        auth_epoch: set('auth_epoch', '+', 1),
        password_reset_epoch: set('password_reset_epoch', '+', 1),
        ...(removeSecondFactor && {
          mfa_enabled: 0 as const,
          mfa_method: null,
          mfa_secret: null,
          mfa_recovery_codes: null,
          phone_number: null,
          phone_verified: 0 as const,
          mfa_epoch: set('mfa_epoch', '+', 1),
        }),
        // As after a reset in the console: the next sign-in asks for a new factor.
        ...(removeSecondFactor && user.mfa_enabled && { mfa_reset_at: now }),
      }))
      .where('id', '=', user.id),
  )
  if (removeSecondFactor) db.run(q.deleteFrom('user_passkeys').where('user_id', '=', user.id))
  db.run(
    q
      .updateTable('sessions')
      .set({ revoked_at: now, revoked_reason: 'password-reset' })
      .where('user_id', '=', user.id)
      .where('revoked_at', 'is', null),
  )
  db.run(q.deleteFrom('rate_limits').where('bucket', '=', 'login_lockout').where('key', '=', user.id))
  auditLater(db, systemClock, 'admin-shell', {
    action: 'user.password.reset',
    resourceType: 'user',
    resourceId: user.id,
    resourceName: user.email,
    details: { removeSecondFactor },
  })
  if (removeSecondFactor && user.mfa_enabled)
    auditLater(db, systemClock, 'admin-shell', {
      action: 'user.mfa_reset',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: user.email,
      details: { method: user.mfa_method },
    })
}

function validEmail(text: string): string {
  const parsed = emailAddress.safeParse(text)
  if (!parsed.success) throw new Error(`"${text}" is not an email address`)
  return parsed.data
}

function assertStrong(password: string, about: readonly string[]): void {
  const weakness = weaknessOf(password, about)
  if (weakness) throw new Error(weakness)
}
