import { agentsLimits } from './features/agents/limits.ts'
import { apiKeysLimits } from './features/api-keys/limits.ts'
import { auditLogLimits } from './features/audit-log/limits.ts'
import { authenticationLimits } from './features/authentication/limits.ts'
import { backupDownloadsLimits } from './features/backup-downloads/limits.ts'
import { backupReportsLimits } from './features/backup-reports/limits.ts'
import { backupStorageLimits } from './features/backup-storage/limits.ts'
import { backupStoreLimits } from './features/backup-store/limits.ts'
import { devicesLimits } from './features/devices/limits.ts'
import { enrollmentKeysLimits } from './features/enrollment-keys/limits.ts'
import { loginBrandingLimits } from './features/login-branding/limits.ts'
import { messagingLimits } from './features/messaging/limits.ts'
import { peopleLimits } from './features/people/limits.ts'
import { psaLimits } from './features/psa/limits.ts'
import { ssoLimits } from './features/sso/limits.ts'
import type { Limit } from './lib/limit.ts'
import { httpLimits } from './platform/http/limits.ts'

/** Every rate limit there is; each feature says its own. */
export const defaultLimits = {
  ...agentsLimits,
  ...apiKeysLimits,
  ...auditLogLimits,
  ...backupDownloadsLimits,
  ...backupReportsLimits,
  ...backupStorageLimits,
  ...backupStoreLimits,
  ...devicesLimits,
  ...enrollmentKeysLimits,
  ...authenticationLimits,
  ...peopleLimits,
  ...loginBrandingLimits,
  ...messagingLimits,
  ...psaLimits,
  ...ssoLimits,
  ...httpLimits,
}

export type LimitName = keyof typeof defaultLimits
export type LimitOverrides = Partial<Record<LimitName, Limit>>
