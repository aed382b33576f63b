import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { Assertion } from './assertion.ts'

interface Dependencies {
  db: Database
  clock: Clock
  secrets: Pick<Secrets, 'encrypt'>
}

/** The connection of a subject of this provider. */
export const findIdentity = (db: Database, providerId: string, subject: string) =>
  db.first(
    q
      .selectFrom('user_sso_identities')
      .selectAll()
      .where('provider_id', '=', providerId)
      .where('external_id', '=', subject),
  )

/** The connection of a user with this provider. */
export const findIdentityOf = (db: Database, providerId: string, userId: string) =>
  db.first(
    q.selectFrom('user_sso_identities').selectAll().where('provider_id', '=', providerId).where('user_id', '=', userId),
  )

/**
 * Connects the subject with a user who has no connection with the provider, or updates the connection. The caller has
 * checked that the subject is not connected with another user.
 * @param isSignIn whether the user signs in through it now
 */
export function saveIdentity(
  { db, clock, secrets }: Dependencies,
  providerId: string,
  userId: string,
  assertion: Assertion,
  { isSignIn }: { isSignIn: boolean },
): void {
  const now = isoNow(clock)
  const known = findIdentity(db, providerId, assertion.subject)
  const id = known?.id ?? randomUUIDv7()
  const sealed = (token: string | null, column: 'access_token' | 'refresh_token') =>
    token === null ? null : secrets.encrypt(token, `user_sso_identities.${column} ${id}`)
  const columns = {
    email: assertion.email,
    profile: assertion.profile,
    access_token: sealed(assertion.accessToken, 'access_token'),
    refresh_token: sealed(assertion.refreshToken, 'refresh_token'),
    token_expires_at: assertion.tokenExpiresAt,
    ...(isSignIn && { last_login_at: now }),
    updated_at: now,
  }
  if (known) db.run(q.updateTable('user_sso_identities').set(columns).where('id', '=', id))
  else
    db.run(
      q.insertInto('user_sso_identities').values({
        id,
        user_id: userId,
        provider_id: providerId,
        external_id: assertion.subject,
        created_at: now,
        ...columns,
      }),
    )
}
