import { Text } from '@mantine/core'
import { count, plural } from '../lib/format.ts'
import { CopyButton } from './copy-button.tsx'
import type { Column } from './data-table/column.tsx'
import { DataTable } from './data-table/data-table.tsx'
import { Panel } from './panel.tsx'

/** Long lists make a page slow; all of them are copied. */
const shown = 200

interface FileProblem {
  path: string
  error: string
}

interface Props {
  /** What did not happen to them, such as “not read”. */
  what: string
  files: readonly FileProblem[]
  /** Devices list a thousand at most. */
  total: number
}

/** Files with which something went wrong, and why. */
export function FileProblems({ what, files, total }: Props) {
  const all = Math.max(total, files.length)
  const hidden = all - Math.min(shown, files.length)
  return (
    <Panel
      title={`${count(all)} ${all === 1 ? 'file' : 'files'} ${what}`}
      actions={<CopyButton text={files.map(({ path, error }) => `${path}\t${error}`).join('\n')} label="Copy list" />}
    >
      <DataTable
        label={`Files ${what}`}
        rows={files.slice(0, shown)}
        rowKey={({ path }, index) => `${index} ${path}`}
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

const columns: Column<FileProblem>[] = [
  { id: 'path', title: 'File or folder', wrap: 'anywhere', cell: ({ path }) => <span className="mono">{path}</span> },
  { id: 'why', title: 'Why', width: 200, cell: ({ error }) => error },
]
