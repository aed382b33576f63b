import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Tasks } from '../../../platform/tasks/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { MailLinks } from '../one-time-secrets/mail-links.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { CurrentPassword } from './current-password.ts'
import { PasswordChanges } from './password-changes.ts'
import { ResetLinks } from './reset-links.ts'
import { SignInAttempts } from './sign-in-attempts.ts'
import { UnlockLinks } from './unlock-links.ts'

interface Dependencies {
  config: Config
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  tasks: Tasks
  mailer: Mailer
  mailLinks: MailLinks
  sessions: Sessions
}

/** Passwords: checking, changing, resetting, and the locks after wrong ones. */
export function createPasswords(dependencies: Dependencies) {
  const { limits, audit } = dependencies
  const { signInFloorMs } = dependencies.config
  const signInAttempts = new SignInAttempts(limits)
  const currentPassword = new CurrentPassword(limits, audit)
  const unlockLinks = new UnlockLinks(dependencies)
  const resetLinks = new ResetLinks({ ...dependencies, unlockLinks, signInFloorMs })
  const passwordChanges = new PasswordChanges({ ...dependencies, signInAttempts, resetLinks, currentPassword })
  return { signInAttempts, currentPassword, unlockLinks, resetLinks, passwordChanges }
}
