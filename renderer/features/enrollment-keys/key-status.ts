import type { EnrollmentKey } from '../../../shared/api/enrollment-keys.ts'

export type KeyState = 'usable' | 'expired' | 'exhausted'

export function keyState(key: Pick<EnrollmentKey, 'expiresAt' | 'maxUsage' | 'usageCount'>, now: number): KeyState {
  if (key.expiresAt !== null && new Date(key.expiresAt).getTime() <= now) return 'expired'
  if (key.maxUsage !== null && key.usageCount >= key.maxUsage) return 'exhausted'
  return 'usable'
}
