import type { MfaMethods } from '../../../../shared/api/auth.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { User } from './store.ts'

/** The hashes of the recovery codes that are left. */
export const recoveryHashes = (user: Pick<User, 'mfa_recovery_codes'>): string[] =>
  JSON.parse(user.mfa_recovery_codes ?? '[]') as string[]

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

/** Which of their factors are codes. */
export const heldByCode = (user: CodeColumns) => ({
  totp: user.mfa_secret !== null,
  sms: user.mfa_method === 'sms' && user.phone_number !== null && user.phone_verified === 1,
})

/** The one that a new app or phone takes the place of: of these two, an account holds one. */
export function codeFactorOf(user: CodeColumns): 'totp' | 'sms' | null {
  const { totp, sms } = heldByCode(user)
  return totp ? 'totp' : sms ? 'sms' : null
}

/** The factors somebody holds, wherever a passkey of theirs may work. */
export const heldFactors = (db: Database, user: User): MfaMethods => ({
  ...heldByCode(user),
  passkey: passkeyHostsOf(db, user.id).length > 0,
})
