import { count } from '../lib/format.ts'
import { CopyButton } from './copy-button.tsx'
import type { Column } from './data-table/column.tsx'
import { FirstFiles } from './first-files.tsx'
import { Panel } from './panel.tsx'

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
  return (
    <Panel
      title={`${count(all)} ${all === 1 ? 'file' : 'files'} ${what}`}
      actions={<CopyButton text={files.map(({ path, error }) => `${path}\t${error}`).join('\n')} label="Copy list" />}
    >
      <FirstFiles label={`Files ${what}`} files={files} total={all} nameOf={({ path }) => path} columns={columns} />
    </Panel>
  )
}

const columns: Column<FileProblem>[] = [
  { id: 'path', title: 'File or folder', wrap: 'anywhere', cell: ({ path }) => <span className="mono">{path}</span> },
  { id: 'why', title: 'Why', width: 200, cell: ({ error }) => error },
]
