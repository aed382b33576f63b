import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SnapshotCopy } from '../../../shared/api/backup-vaults.ts'
import { snapshotCopiesQuery } from '../../data/backup-vaults.ts'
import { mountedWhenOpen } from '../../ui/filter-select.tsx'

interface Props {
  snapshotId: string
  /** Of the second copy; empty: the first place. */
  value: string
  onChange: (vaultId: string) => void
}

/** Where the files come from; asked only where there is a choice. */
export function SourceField({ snapshotId, value, onChange }: Props) {
  const copies = useQuery(snapshotCopiesQuery(snapshotId)).data ?? []
  if (copies.length === 0) return null
  return (
    <Select
      label="From"
      description={helpFor(copies.find(({ vaultId }) => vaultId === value))}
      allowDeselect={false}
      comboboxProps={mountedWhenOpen}
      data={[
        { value: '', label: 'Where it was backed up to' },
        ...copies.map(({ vaultId, vaultName }) => ({ value: vaultId, label: `Second copy: ${vaultName}` })),
      ]}
      value={value}
      onChange={(next) => onChange(next ?? '')}
    />
  )
}

function helpFor(copy: SnapshotCopy | undefined): string {
  if (copy === undefined) return 'If that is lost or damaged, choose a second copy.'
  if (copy.place === 'storage') return 'The device reads it from there.'
  if (copy.place === 'appliance') return `First connect the disk to the appliance: ${copy.vaultPath}`
  return `First connect the disk to the device that gets the files, at the same path: ${copy.vaultPath}`
}
