import type { EnrollmentKey } from '../../../shared/api/enrollment-keys.ts'

export type KeyStatus = 'usable' | 'expired' | 'exhausted'

export function keyStatus(key: Pick<EnrollmentKey, 'expiresAt' | 'maxUsage' | 'usageCount'>, now: number): KeyStatus {
  if (key.expiresAt !== null && new Date(key.expiresAt).getTime() <= now) return 'expired'
  if (key.maxUsage !== null && key.usageCount >= key.maxUsage) return 'exhausted'
  return 'usable'
}
