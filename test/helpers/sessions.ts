import { q } from '../../server/db/query.ts'
import { findMembership } from '../../server/features/access/memberships/usable.ts'
import { findUser } from '../../server/features/access/users/store.ts'
import { type MfaSource, Sessions } from '../../server/features/authentication/sessions/sessions.ts'
import { TokenPairs } from '../../server/features/authentication/sessions/token-pairs.ts'
import { createTokens } from '../../server/features/authentication/sessions/tokens.ts'
import { type Clock, isoNow } from '../../server/platform/clock.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import type { TestApp } from './test-app.ts'

/**
 * The access token of a new session as a sign-in would give it, without its delay, limits and audit event: for tests
 * whose subject is not signing in. With `source` a second factor was shown, with `providerId` that provider was used.
 */
export async function sessionOf(
  app: Pick<TestApp, 'db' | 'config' | 'dataDir'> & { clock: Clock },
  userId: string,
  source: MfaSource | null = null,
  providerId?: string,
): Promise<string> {
  const { db, clock, config, dataDir } = app
  const user = findUser(db, userId)
  const membership = user && findMembership(db, user)
  if (!membership) throw new Error(`${userId} may not enter`)
  const tokens = createTokens(openSecrets(dataDir, config.secrets).jwtKey, clock)
  const sessions = new Sessions(db, clock, new TokenPairs(db, clock, tokens), config.sessionMaxDays)
  const { issued, save } = await sessions.prepare(user, membership, fromHere, {
    source,
    ...(providerId && { providerId }),
  })
  db.transaction(save)
  return issued.accessToken
}

/** As if the session of the token had passed a second factor a moment ago. */
export function passFactor({ db, clock }: Pick<TestApp, 'db' | 'clock'>, token: string): void {
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string }
  const passed = { mfa_at: isoNow(clock), mfa_source: 'passkey' } as const
  db.run(q.updateTable('sessions').set(passed).where('id', '=', sid))
}

const fromHere = {
  ip: '127.0.0.1',
  isVouchedFor: false,
  isSecure: false,
  mobileDeviceId: null,
  userAgent: 'lightMyRequest',
  requestId: 'test',
}
