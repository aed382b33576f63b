import { Text } from '@mantine/core'
import { storageNotAskedYet } from '../../../shared/api/backup-snapshot-protection.ts'
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
  if (reason === storageNotAskedYet)
    return (
      <Notice tone="busy" mb="md">
        <Text size="sm">Homeport keeps this snapshot. The storage is asked to lock it, too, within a minute.</Text>
      </Notice>
    )
  return (
    <Notice tone="warn" title="The storage doesn’t lock this snapshot" mb="md">
      <Text size="sm">
        {reason}. Meanwhile Homeport keeps it, but someone with the keys of the storage can delete it.
      </Text>
    </Notice>
  )
}
