import { Badge, Group } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { dateOnly } from '../../lib/format.ts'

type Protected = Pick<
  BackupSnapshot,
  'legalHold' | 'legalHoldReason' | 'immutableUntil' | 'immutabilityEnforcement' | 'retentionBlockedReason'
>

/** Why nothing deletes a snapshot, whatever its age. */
export function SnapshotBadges({ snapshot }: { snapshot: Protected }) {
  const { legalHold, legalHoldReason, immutableUntil, retentionBlockedReason } = snapshot
  if (retentionBlockedReason === null) return null
  return (
    <Group gap={6}>
      {legalHold && (
        <Badge variant="light" size="sm" leftSection={<IconLock size={11} />} title={legalHoldReason ?? undefined}>
          Legal hold
        </Badge>
      )}
      {!legalHold && immutableUntil !== null && (
        <Badge variant="light" size="sm" leftSection={<IconLock size={11} />}>
          {snapshot.immutabilityEnforcement === 'provider' ? 'Locked by the storage until' : 'Locked until'}{' '}
          {dateOnly(immutableUntil)}
        </Badge>
      )}
    </Group>
  )
}
