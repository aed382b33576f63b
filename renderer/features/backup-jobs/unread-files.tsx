import { Group, Text } from '@mantine/core'
import type { UnreadFile } from '../../../shared/api/backup-jobs.ts'
import { count, plural } from '../../lib/format.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'

/** Long lists make a page slow; all of them are copied. */
const shown = 200

interface Props {
  files: readonly UnreadFile[]
  /** The device lists a thousand at most. */
  total: number
}

export function UnreadFiles({ files, total }: Props) {
  const text = files.map(({ path, error }) => `${path}\t${error}`).join('\n')
  const hidden = Math.max(total, files.length) - Math.min(shown, files.length)
  return (
    <Panel
      title={`${count(Math.max(total, files.length))} ${total === 1 ? 'file' : 'files'} not read`}
      actions={<CopyButton text={text} label="Copy list" />}
    >
      <DataTable
        label="Files not read"
        rows={files.slice(0, shown)}
        rowKey={({ path }, index) => `${index} ${path}`}
        columns={columns}
        minWidth={420}
        isDense
      />
      {hidden > 0 && (
        <Group mt="xs">
          <Text size="sm" c="dimmed">
            {plural(hidden, 'file')} more.
          </Text>
        </Group>
      )}
    </Panel>
  )
}

const columns: Column<UnreadFile>[] = [
  { id: 'path', title: 'File or folder', wrap: 'anywhere', cell: ({ path }) => <span className="mono">{path}</span> },
  { id: 'why', title: 'Why', width: 200, cell: ({ error }) => error },
]
