import { Text, Title } from '@mantine/core'
import type { MaintainedRepository } from '../../../shared/api/backup-maintenance.ts'
import { repositoryColumns } from '../../domain/backup-storage/repository-columns.tsx'
import { bytes, count } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'

interface Props {
  failing: number
  /** Those that failed come first. */
  repositories: readonly MaintainedRepository[]
}

/** Devices whose expired snapshots could not be deleted, and why. */
export function MaintenanceProblems({ failing, repositories }: Props) {
  const shown = repositories.filter(({ error }) => error !== null)
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        Problems
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        Maintenance tries again every night.
        {failing > shown.length && ` ${count(shown.length)} of ${count(failing)} are shown.`}
      </Text>
      <DataTable
        label="Problems of maintenance"
        rows={shown}
        rowKey={({ id }) => id}
        columns={columns}
        minWidth={640}
      />
    </div>
  )
}

const columns: Column<MaintainedRepository>[] = [
  repositoryColumns.device,
  repositoryColumns.storage,
  { id: 'stored', title: 'Stored', wrap: 'never', cell: ({ storedBytes }) => bytes(storedBytes) },
  repositoryColumns.error,
  repositoryColumns.tried,
]
