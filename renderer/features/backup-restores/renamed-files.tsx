import type { RestoreDetails } from '../../../shared/api/backup-restores.ts'
import { plural } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { FirstFiles } from '../../ui/first-files.tsx'
import { Panel } from '../../ui/panel.tsx'

type RenamedFile = NonNullable<RestoreDetails['renamedFiles']>[number]

/** Restored files that got another name, because there was one of theirs. */
export function RenamedFiles({ files, total }: { files: readonly RenamedFile[]; total: number }) {
  const all = Math.max(total, files.length)
  return (
    <Panel title={`${plural(all, 'file')} under another name`}>
      <FirstFiles
        label="Files under another name"
        files={files}
        total={all}
        nameOf={({ as }) => as}
        columns={columns}
      />
    </Panel>
  )
}

const columns: Column<RenamedFile>[] = [
  { id: 'as', title: 'Restored as', wrap: 'anywhere', cell: ({ as }) => <span className="mono">{as}</span> },
  { id: 'path', title: 'Beside', wrap: 'anywhere', cell: ({ path }) => <span className="mono">{path}</span> },
]
