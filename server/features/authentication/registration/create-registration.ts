import type { Config } from '../../../config/config.ts'
import type { Database } from '../../../db/database.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Tasks } from '../../../platform/tasks/index.ts'
import type { Mailer } from '../../messaging/index.ts'
import type { NewPartners } from '../../partners/index.ts'
import type { MailLinks } from '../one-time-secrets/mail-links.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SignIn } from '../sign-in/sign-in.ts'
import { EmailVerification } from './email-verification.ts'
import { Registration } from './registration.ts'
import { RegistrationCompletion } from './registration-completion.ts'
import { RegistrationNotices } from './registration-notices.ts'
import { RegistrationSetting } from './registration-setting.ts'

interface Dependencies {
  config: Config
  db: Database
  clock: Clock
  audit: Audit
  limits: RateLimits
  tasks: Tasks
  mailer: Mailer
  mailLinks: MailLinks
  newPartners: NewPartners
  sessions: Sessions
  signIn: SignIn
}

/** Registering a partner, and following the links that confirm an address. */
export function createRegistration(dependencies: Dependencies) {
  const { signInFloorMs, registration } = dependencies.config
  const notices = new RegistrationNotices(dependencies)
  const registrationSetting = new RegistrationSetting({ ...dependencies, environment: registration.isOpen })
  const { isOpen } = registrationSetting
  const registrationCompletion = new RegistrationCompletion({ ...dependencies, notices, isOpen })
  return {
    registrationSetting,
    registration: new Registration({ ...dependencies, signInFloorMs }),
    emailVerification: new EmailVerification({ ...dependencies, registrationCompletion }),
  }
}
