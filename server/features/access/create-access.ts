import { isoNow } from '../../platform/clock.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Messaging } from '../messaging/index.ts'
import { EnrollmentNotices } from './policies/enrollment-notices.ts'
import { EnrollmentWindows } from './policies/enrollment-windows.ts'
import { IpAllowlist } from './policies/ip-allowlist.ts'
import { mfaReminderJobs } from './policies/jobs.ts'
import { LockOutCheck } from './policies/lock-out-check.ts'
import { MfaPolicy } from './policies/mfa-policy.ts'
import { SecurityPreviews } from './policies/security-preview.ts'
import { seedRoles } from './roles/built-in.ts'

export type Access = ReturnType<typeof createAccess>['api']

/** Memberships, roles and what policies require of users. Creates the built-in roles where they are missing. */
export function createAccess(
  { config, db, clock, log, audit }: Services,
  { mailer, sms }: Pick<Messaging, 'mailer' | 'sms'>,
) {
  seedRoles(db, isoNow(clock))
  const notices = new EnrollmentNotices(db, mailer)
  const policy = new MfaPolicy(db, new EnrollmentWindows(db, notices), {
    isTwoFactorEnabled: config.isTwoFactorEnabled,
    isForcedByRole: config.isMfaForcedByRole,
    canSendSms: () => sms.isConfigured(),
  })
  const api = {
    policy,
    allowlist: new IpAllowlist(db, clock, audit, config.isAllowlistEnforced),
    lockOutCheck: new LockOutCheck(db),
    securityPreviews: new SecurityPreviews(db, clock, config),
  }
  return { api, jobs: mfaReminderJobs({ db, log, policy, notices }) } satisfies Module
}
