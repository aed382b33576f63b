import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Mailer, Sms } from '../messaging/index.ts'
import { EnrollmentNotices } from './policies/enrollment-notices.ts'
import { EnrollmentWindows } from './policies/enrollment-windows.ts'
import { IpAllowlist } from './policies/ip-allowlist.ts'
import { mfaReminderJobs } from './policies/jobs.ts'
import { LockOutCheck } from './policies/lock-out-check.ts'
import { MfaPolicy } from './policies/mfa-policy.ts'
import { SecurityPreviews } from './policies/security-preview.ts'
import { seedRoles } from './roles/built-in.ts'

interface Dependencies {
  config: Config
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  mailer: Mailer
  sms: Sms
}

export type Access = ReturnType<typeof createAccess>

/** Memberships, roles and what policies require of users. Creates the built-in roles where they are missing. */
export function createAccess({ config, db, clock, log, audit, mailer, sms }: Dependencies) {
  seedRoles(db, isoNow(clock))
  const notices = new EnrollmentNotices(db, mailer)
  const policy = new MfaPolicy(db, new EnrollmentWindows(db, notices), {
    isTwoFactorEnabled: config.isTwoFactorEnabled,
    isForcedByRole: config.isMfaForcedByRole,
    canSendSms: () => sms.isConfigured(),
  })
  return {
    policy,
    allowlist: new IpAllowlist(db, clock, audit, config.isAllowlistEnforced),
    lockOutCheck: new LockOutCheck(db),
    securityPreviews: new SecurityPreviews(db, clock, config),
    jobs: mfaReminderJobs({ db, log, policy, notices }),
  }
}
