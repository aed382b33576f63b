import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import type { MfaPolicy } from '../../access/index.ts'
import type { Mailer, Sms } from '../../messaging/index.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import type { CurrentPassword } from '../passwords/current-password.ts'
import type { RefreshTokens } from '../sessions/refresh-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { CodeVerifier } from './code-verifier.ts'
import { FactorChanges } from './factor-changes.ts'
import { OwnFactors } from './own-factors.ts'
import { Phone } from './phone.ts'
import { Reauthentication } from './reauthentication.ts'
import { RecoveryCodes } from './recovery-codes.ts'
import { SmsCodes } from './sms-codes.ts'
import { type PasskeyVerifier, StepUp } from './step-up.ts'
import { TotpCodes } from './totp-codes.ts'
import { TotpSetup } from './totp-setup.ts'

interface Dependencies {
  db: Database
  clock: Clock
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  mailer: Mailer
  sms: Sms
  policy: MfaPolicy
  oneTimeSecrets: OneTimeSecrets
  sessions: Sessions
  refreshTokens: RefreshTokens
  currentPassword: CurrentPassword
  passkeys: PasskeyVerifier
}

export type Factors = ReturnType<typeof createFactors>

/** Second factors except passkeys, and re-authentication with any of them. */
export function createFactors(dependencies: Dependencies) {
  const { db, clock, secrets, audit, mailer, oneTimeSecrets, sessions, currentPassword } = dependencies
  const reauthentication = new Reauthentication(db, clock, oneTimeSecrets, currentPassword)
  const factorChanges = new FactorChanges(db, clock, sessions, audit, mailer)
  const recoveryCodes = new RecoveryCodes(db, secrets, audit)
  const smsCodes = new SmsCodes(dependencies)
  const totpCodes = new TotpCodes(db, clock, secrets)
  const codeVerifier = new CodeVerifier(totpCodes, smsCodes, recoveryCodes)
  const shared = { ...dependencies, reauthentication, factorChanges, codeVerifier, recoveryCodes, smsCodes }
  return {
    reauthentication,
    factorChanges,
    recoveryCodes,
    smsCodes,
    codeVerifier,
    totpSetup: new TotpSetup({ ...shared, totpCodes }),
    phone: new Phone(shared),
    ownFactors: new OwnFactors(shared),
    stepUp: new StepUp(shared),
  }
}
