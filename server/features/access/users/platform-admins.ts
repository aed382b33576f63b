import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { User } from './store.ts'

/**
 * Makes platform admins of those of the named accounts that are active and have a confirmed email address: anybody may
 * invite an address and choose the password of its account. Takes the right from nobody.
 * @returns the addresses of accounts that are not platform admins yet
 */
export function promotePlatformAdmins(db: Database, emails: readonly string[]): string[] {
  if (emails.length === 0) return []
  db.run(
    q
      .updateTable('users')
      .set({ is_platform_admin: 1 })
      .where('email', 'in', emails)
      .where('status', '=', 'active')
      .where('email_verified_at', 'is not', null),
  )
  const rest = q.selectFrom('users').select('email').where('email', 'in', emails).where('is_platform_admin', '=', 0)
  return db.all(rest).map(({ email }) => email)
}

/** Whether this account is the only active platform admin: without it nobody could administer the appliance. */
export function isLastPlatformAdmin(db: Database, { id, is_platform_admin }: User): boolean {
  if (!is_platform_admin) return false
  const other = q
    .selectFrom('users')
    .select('id')
    .where('is_platform_admin', '=', 1)
    .where('status', '=', 'active')
    .where('id', '!=', id)
  return db.first(other) === undefined
}

/** Name and address of every active platform admin. */
export const activePlatformAdmins = (db: Database): Pick<User, 'email' | 'name'>[] =>
  db.all(
    q.selectFrom('users').select(['email', 'name']).where('is_platform_admin', '=', 1).where('status', '=', 'active'),
  )
