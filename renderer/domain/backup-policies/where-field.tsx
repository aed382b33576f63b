import { Select } from '@mantine/core'
import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import { kindNames, kindOf } from '../backup-storage/storage-kinds.ts'

const defaultStorage = 'default'

interface Props {
  storages: readonly BackupConfig[]
  /** Null for the default storage of each organization. */
  value: string | null
  onChange: (storageId: string | null) => void
}

/** Where backups go. */
export function WhereField({ storages, value, onChange }: Props) {
  const current = storages.find(({ isDefault, enabled }) => isDefault && enabled)
  const chosen = storages.filter(({ enabled, id }) => enabled || id === value)
  return (
    <Select
      label="Where"
      allowDeselect={false}
      data={[
        {
          value: defaultStorage,
          label: current ? `Default storage (${current.name} now)` : 'Default storage (none yet)',
        },
        ...chosen.map((storage) => ({
          value: storage.id,
          label: `${storage.name} – ${kindNames[kindOf(storage)]}${storage.enabled ? '' : ', off'}`,
        })),
      ]}
      value={value ?? defaultStorage}
      onChange={(next) => onChange(next === defaultStorage ? null : next)}
    />
  )
}
