import { applyImmutability, applyLegalHold, releaseLegalHold } from '../../shared/api/backup-snapshot-protection.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { backupKeys } from './backup-keys.ts'

/** A legal hold keeps a snapshot until it is released, a lock until its day. */
export type ProtectionDeed = 'hold' | 'release-hold' | 'lock'

interface Wanted {
  reason: string
  /** Of a lock. */
  days: number
  /** Of a lock: whether the storage is to enforce it, too. */
  isByStorage: boolean
}

/** Protects a snapshot, or ends that. */
export const protectSnapshot = (id: string, deed: ProtectionDeed) => ({
  mutationFn: ({ reason, days, isByStorage }: Wanted) => {
    const call = { params: { id }, query: {} }
    switch (deed) {
      case 'hold':
        return api.call(applyLegalHold, { ...call, body: { reason } })
      case 'release-hold':
        return api.call(releaseLegalHold, { ...call, body: { reason } })
      case 'lock':
        return api.call(applyImmutability, {
          ...call,
          body: { reason, immutableDays: days, enforcement: isByStorage ? 'provider' : 'application' },
        })
    }
  },
  onSuccess: () => queryClient.invalidateQueries({ queryKey: backupKeys.snapshots }),
})
