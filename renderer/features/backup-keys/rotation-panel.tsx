import { Stack, Text } from '@mantine/core'
import type { ChangingRepository } from '../../../shared/api/backup-keys.ts'
import { repositoryColumns } from '../../domain/backup-storage/repository-columns.tsx'
import { count } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'

interface Props {
  total: number
  changing: number
  repositories: readonly ChangingRepository[]
}

/** Which repositories do not have the new key yet, and why. */
export function RotationPanel({ total, changing, repositories }: Props) {
  return (
    <Panel title="Rotation">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {count(total - changing)} of {count(total)} repositories are done. One that is being backed up is changed
          afterwards; one that can’t be reached is tried again every hour, and can be restored from with the old key.
          {changing > repositories.length && ` ${count(repositories.length)} of ${count(changing)} are shown.`}
        </Text>
        <DataTable
          label="Repositories that are being changed"
          rows={repositories}
          rowKey={({ id }) => id}
          columns={columns}
          minWidth={640}
        />
      </Stack>
    </Panel>
  )
}

const columns: Column<ChangingRepository>[] = [
  repositoryColumns.device,
  repositoryColumns.storage,
  {
    id: 'step',
    title: 'Step',
    wrap: 'never',
    cell: ({ step }) => (step === 'waiting' ? 'Has the old key' : 'Removing the old key'),
  },
  repositoryColumns.error,
  repositoryColumns.tried,
]
