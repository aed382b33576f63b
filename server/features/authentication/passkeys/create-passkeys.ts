import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { MfaPolicy } from '../../access/index.ts'
import type { FactorChanges } from '../factors/factor-changes.ts'
import type { Reauthentication } from '../factors/reauthentication.ts'
import type { RecoveryCodes } from '../factors/recovery-codes.ts'
import type { SignIn } from '../sign-in/sign-in.ts'
import type { Assertions } from './assertions.ts'
import type { Ceremonies } from './ceremonies.ts'
import { PasskeyRegistration } from './passkey-registration.ts'
import { PasskeySignIn } from './passkey-sign-in.ts'
import { Passkeys } from './passkeys.ts'

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  policy: MfaPolicy
  reauthentication: Reauthentication
  factorChanges: FactorChanges
  recoveryCodes: RecoveryCodes
  signIn: SignIn
  ceremonies: Ceremonies
  assertions: Assertions
  signInFloorMs: number
}

/** Passkeys: registering, managing and signing in with them. */
export const createPasskeys = (dependencies: Dependencies) => ({
  passkeys: new Passkeys(dependencies),
  passkeyRegistration: new PasskeyRegistration(dependencies),
  passkeySignIn: new PasskeySignIn(dependencies),
})
