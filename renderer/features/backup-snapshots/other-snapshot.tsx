import { Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import { exactTime } from '../../lib/format.ts'
import { mountedWhenOpen } from '../../ui/filter-select.tsx'
import { useSiblings } from './use-siblings.ts'

/** Goes to the same folder in an earlier or later snapshot. */
export function OtherSnapshot({ snapshot }: { snapshot: BackupSnapshot }) {
  const navigate = useNavigate({ from: '/backup/snapshots/$snapshotId' })
  const siblings = useSiblings(snapshot).data ?? [snapshot]
  return (
    <Select
      aria-label="Snapshot"
      flex="1 1 250px"
      miw={250}
      allowDeselect={false}
      comboboxProps={mountedWhenOpen}
      data={siblings.map(({ id, createdAt }) => ({ value: id, label: exactTime(createdAt) }))}
      value={snapshot.id}
      onChange={(snapshotId) =>
        snapshotId &&
        navigate({
          to: '/backup/snapshots/$snapshotId',
          params: { snapshotId },
          search: ({ path, q }) => ({ path, q }),
        })
      }
    />
  )
}
