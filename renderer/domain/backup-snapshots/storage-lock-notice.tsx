import { Text } from '@mantine/core'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { useNow } from '../../lib/now.ts'
import { Notice } from '../../ui/notice.tsx'

type Locked = Pick<
  BackupSnapshot,
  'immutabilityEnforcement' | 'requestedImmutabilityEnforcement' | 'immutabilityFallbackReason' | 'immutableUntil'
>

/** Why a storage that is to lock a snapshot does not, or not yet. */
export function StorageLockNotice({ snapshot }: { snapshot: Locked }) {
  const now = useNow()
  const { immutableUntil, immutabilityFallbackReason: reason } = snapshot
  const isWanted =
    snapshot.requestedImmutabilityEnforcement === 'provider' && snapshot.immutabilityEnforcement === 'application'
  if (!isWanted || reason === null || immutableUntil === null || Date.parse(immutableUntil) <= now) return null
  return (
    <Notice tone="warn" title="The storage doesn’t lock this snapshot yet" mb="md">
      <Text size="sm">
        {reason}. Meanwhile only Homeport keeps it: someone with the keys of the storage can delete it.
      </Text>
    </Notice>
  )
}
