import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { fromJson } from '../../../lib/json.ts'
import type { User } from './store.ts'

/** The hashes of the recovery codes that are left. */
export const recoveryCodeHashes = (user: Pick<User, 'mfa_recovery_codes'>): string[] =>
  user.mfa_recovery_codes === null ? [] : fromJson(user.mfa_recovery_codes)

/** Host names at which the user's passkeys work. */
export const passkeyHostsOf = (db: Database, userId: string): string[] =>
  db
    .all(
      q
        .selectFrom('user_passkeys')
        .select('rp_id')
        .distinct()
        .where('user_id', '=', userId)
        .where('disabled_at', 'is', null)
        .orderBy('rp_id'),
    )
    .map(({ rp_id }) => rp_id)

type CodeColumns = Pick<User, 'mfa_secret' | 'mfa_method' | 'phone_number' | 'phone_verified'>

/** Which code factors a user holds: an authenticator app, text messages. */
export const heldCodeFactors = (user: CodeColumns) => ({
  totp: user.mfa_secret !== null,
  sms: user.mfa_method === 'sms' && user.phone_number !== null && user.phone_verified === 1,
})

/** The code factor that a new app or phone would replace: an account holds at most one of the two. */
export function codeFactorOf(user: CodeColumns): 'totp' | 'sms' | null {
  const { totp, sms } = heldCodeFactors(user)
  return totp ? 'totp' : sms ? 'sms' : null
}

/** The factors a user holds; a passkey counts at whatever host name it works. */
export const heldFactors = (db: Database, user: User): MfaMethods => ({
  ...heldCodeFactors(user),
  passkey: passkeyHostsOf(db, user.id).length > 0,
})
