import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { IpAllowlist, MfaPolicy } from '../../access/index.ts'
import type { CodeVerifier } from '../factors/code-verifier.ts'
import type { SmsCodes } from '../factors/sms-codes.ts'
import type { InvitationLinks } from '../invitation-links/invitation-links.ts'
import type { OneTimeSecrets } from '../one-time-secrets/one-time-secrets.ts'
import type { ResetLinks } from '../passwords/reset-links.ts'
import type { SignInAttempts } from '../passwords/sign-in-attempts.ts'
import type { KnownBrowsers } from '../sessions/known-browsers.ts'
import type { RefreshTokens } from '../sessions/refresh-tokens.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { Challenges } from './challenges.ts'
import { MembershipSelection } from './membership-selection.ts'
import { PasswordSignIn } from './password-sign-in.ts'
import { SecondStep } from './second-step.ts'
import { SignIn } from './sign-in.ts'
import { SignOut } from './sign-out.ts'

interface Dependencies {
  config: Config
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  policy: MfaPolicy
  allowlist: IpAllowlist
  oneTimeSecrets: OneTimeSecrets
  sessions: Sessions
  refreshTokens: RefreshTokens
  knownBrowsers: KnownBrowsers
  signInAttempts: SignInAttempts
  resetLinks: ResetLinks
  invitationLinks: InvitationLinks
  codeVerifier: CodeVerifier
  smsCodes: SmsCodes
}

/** Signing in with a password and a code, and signing out. */
export function createSignIn(dependencies: Dependencies) {
  const { db, audit, policy, oneTimeSecrets, sessions, refreshTokens } = dependencies
  const { isTwoFactorEnabled, signInFloorMs } = dependencies.config
  const membershipSelection = new MembershipSelection({ ...dependencies, isTwoFactorEnabled })
  const challenges = new Challenges(db, oneTimeSecrets, policy, membershipSelection)
  const signIn = new SignIn({ ...dependencies, challenges, membershipSelection })
  return {
    signIn,
    passwordSignIn: new PasswordSignIn({
      ...dependencies,
      signIn,
      challenges,
      isTwoFactorEnabled,
      signInFloorMs,
    }),
    secondStep: new SecondStep({ ...dependencies, signIn }),
    signOut: new SignOut(db, audit, sessions, refreshTokens),
  }
}
