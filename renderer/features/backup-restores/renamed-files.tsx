import { Text } from '@mantine/core'
import type { RestoreDetails } from '../../../shared/api/backup-restores.ts'
import { plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'

/** Long lists make a page slow. */
const shown = 200

type RenamedFile = NonNullable<RestoreDetails['renamedFiles']>[number]

/** Restored files that got another name, because there was one of theirs. */
export function RenamedFiles({ files, total }: { files: readonly RenamedFile[]; total: number }) {
  const all = Math.max(total, files.length)
  const hidden = all - Math.min(shown, files.length)
  return (
    <Panel title={`${plural(all, 'file')} under another name`}>
      <DataTable
        label="Files under another name"
        rows={files.slice(0, shown)}
        rowKey={({ as }, index) => `${index} ${as}`}
        columns={columns}
        minWidth={420}
        isDense
      />
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {plural(hidden, 'file')} more.
        </Text>
      )}
    </Panel>
  )
}

const columns: Column<RenamedFile>[] = [
  { id: 'as', title: 'Restored as', wrap: 'anywhere', cell: ({ as }) => <span className="mono">{as}</span> },
  { id: 'path', title: 'Beside', wrap: 'anywhere', cell: ({ path }) => <span className="mono">{path}</span> },
]
