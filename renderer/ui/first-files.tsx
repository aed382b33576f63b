import { Text } from '@mantine/core'
import { plural } from '../lib/format.ts'
import type { Column } from './data-table/column.tsx'
import { DataTable } from './data-table/data-table.tsx'

/** Long lists make a page slow. */
const shown = 200

interface Props<Row> {
  label: string
  files: readonly Row[]
  /** May be more than there are names of. */
  total: number
  nameOf: (file: Row) => string
  columns: Column<Row>[]
}

/** The first of many files, and how many more there are. */
export function FirstFiles<Row>({ label, files, total, nameOf, columns }: Props<Row>) {
  const hidden = total - Math.min(shown, files.length)
  return (
    <>
      <DataTable
        label={label}
        rows={files.slice(0, shown)}
        rowKey={(file, index) => `${index} ${nameOf(file)}`}
        columns={columns}
        minWidth={420}
        isDense
      />
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {plural(hidden, 'file')} more.
        </Text>
      )}
    </>
  )
}
