import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Job } from '../../platform/jobs.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbox } from '../../platform/outbox.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Mailer, Sms } from '../messaging/index.ts'
import { Profile } from './account/profile.ts'
import { FactorChanges } from './factors/factor-changes.ts'
import { Proof } from './factors/proof.ts'
import { RecoveryCodes } from './factors/recovery-codes.ts'
import { SmsCodes } from './factors/sms-codes.ts'
import { Totp } from './factors/totp.ts'
import { Identities } from './identities.ts'
import { Assertions } from './passkeys/assertions.ts'
import { Ceremonies } from './passkeys/ceremonies.ts'
import { PasskeySignIn } from './passkeys/passkey-sign-in.ts'
import { PasskeyStepUp } from './passkeys/passkey-step-up.ts'
import { Passkeys } from './passkeys/passkeys.ts'
import { PasskeyRegistration } from './passkeys/registration.ts'
import { RelyingParty } from './passkeys/relying-party.ts'
import { CurrentPassword } from './passwords/current-password.ts'
import { FactorReset } from './people/factor-reset.ts'
import { People } from './people/people.ts'
import { EnrollmentNotices } from './policy/enrollment-notices.ts'
import { EnrollmentWindows } from './policy/enrollment-windows.ts'
import { IpAllowlist } from './policy/ip-allowlist.ts'
import { LockOuts } from './policy/lock-outs.ts'
import { MfaPolicy } from './policy/mfa-policy.ts'
import { policyJobs } from './policy/policy-jobs.ts'
import type { IdentityServices } from './services.ts'
import { SessionCookies } from './sessions/cookies.ts'
import { Sessions } from './sessions/sessions.ts'
import { createTokens } from './sessions/tokens.ts'
import { Bootstrap } from './setup/bootstrap.ts'
import { SetupCode } from './setup/setup-code.ts'
import { Challenges } from './sign-in/challenges.ts'
import { SecondStep } from './sign-in/second-step.ts'
import { SignIn } from './sign-in/sign-in.ts'

export interface IdentityParts {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  outbox: Outbox
  mailer: Mailer
  sms: Sms
  /** Origins at which the appliance is to be found, best first. */
  addresses: () => string[]
  /** Told every new setup code, to show it where the administrator looks. */
  onSetupCode: (code: string) => void
}

/** Everything about who somebody is, put together: who needs whom. */
export function createIdentity(
  parts: IdentityParts,
): IdentityServices & { identities: Identities; lockOuts: LockOuts; jobs: Job[] } {
  const { config, db, clock, secrets, audit, limits, sms } = parts
  const { isTwoFactorEnabled } = config
  const tokens = createTokens(secrets.jwtKey, clock)
  const cookies = new SessionCookies({ ...config.cookie, allowedOrigins: config.corsAllowedOrigins })
  const sessions = new Sessions(db, clock, tokens, audit, limits, {
    rotationGraceSeconds: config.refreshRotationGraceSeconds,
    maxDays: config.sessionMaxDays,
  })

  const notices = new EnrollmentNotices(db, parts.mailer)
  const windows = new EnrollmentWindows(db, notices)
  const policy = new MfaPolicy(db, windows, {
    isTwoFactorEnabled,
    isForcedByRole: config.isMfaForcedByRole,
    canSendSms: () => sms.isConfigured(),
  })
  const allowlist = new IpAllowlist(db, audit, config.isAllowlistEnforced)
  const identities = new Identities(db, clock, tokens, policy, allowlist, audit)

  const currentPassword = new CurrentPassword(limits)
  const proof = new Proof(db, clock, currentPassword)
  const changes = new FactorChanges(db, clock, sessions, audit)
  const recoveryCodes = new RecoveryCodes(db, secrets, audit)
  const smsCodes = new SmsCodes(db, clock, secrets, sms)
  const totp = new Totp({ db, clock, secrets, limits, policy, proof, changes, recoveryCodes })

  const challenges = new Challenges(db, clock, policy)
  const signIn = new SignIn({
    db,
    clock,
    sessions,
    challenges,
    policy,
    allowlist,
    limits,
    audit,
    isTwoFactorEnabled,
    onLocked: () => {},
  })
  const secondStep = new SecondStep({ challenges, signIn, limits, totp, smsCodes, recoveryCodes })

  const ceremonies = new Ceremonies(db, clock)
  const assertions = new Assertions(db, clock, ceremonies)

  const people = new People(db, policy)
  const setupCode = new SetupCode(config.dataDir, limits, parts.onSetupCode)
  return {
    isTwoFactorEnabled,
    identities,
    lockOuts: new LockOuts(db),
    jobs: policyJobs({ db, log: parts.log, policy, notices }),
    bootstrap: new Bootstrap(db, clock, audit, sessions, setupCode),
    cookies,
    passkeyRegistration: new PasskeyRegistration({ db, clock, limits, proof, changes, recoveryCodes, ceremonies }),
    passkeySignIn: new PasskeySignIn({ db, limits, challenges, signIn, assertions }),
    passkeyStepUp: new PasskeyStepUp(db, limits, assertions),
    passkeys: new Passkeys({ db, clock, audit, policy, proof, changes }),
    factorReset: new FactorReset(db, clock, audit, people, sessions),
    people,
    profile: new Profile(db, clock, audit, policy, isTwoFactorEnabled),
    relyingParty: new RelyingParty(config, parts.addresses),
    secondStep,
    sessions,
    signIn,
    totp,
  }
}
