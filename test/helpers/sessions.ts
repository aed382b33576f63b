import { findMembership } from '../../server/features/access/memberships/usable.ts'
import { findUser } from '../../server/features/access/users/store.ts'
import { type MfaSource, Sessions } from '../../server/features/authentication/sessions/sessions.ts'
import { TokenPairs } from '../../server/features/authentication/sessions/token-pairs.ts'
import { createTokens } from '../../server/features/authentication/sessions/tokens.ts'
import type { Clock } from '../../server/platform/clock.ts'
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

const fromHere = {
  ip: '127.0.0.1',
  isVouchedFor: false,
  isSecure: false,
  mobileDeviceId: null,
  userAgent: 'lightMyRequest',
  requestId: 'test',
}
