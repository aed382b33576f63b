import { Table, Text } from '@mantine/core'
import { permissionName } from '../../domain/roles/permission-labels.ts'
import { dash } from '../../lib/format.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { fieldName } from './action-labels.ts'
import classes from './change-table.module.css'
import { type Change, linesOf } from './changes.ts'

/** Changed fields with old and new values side by side. */
export function ChangeTable({ changes }: { changes: readonly Change[] }) {
  return (
    <TableFrame label="What changed">
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, values }) => (
            <Table.Tr key={field}>
              <Table.Td className={classes.cell}>{fieldName(field)}</Table.Td>
              {values ? (
                <Values {...values} say={field === 'permissions' ? permissionWords : asIs} />
              ) : (
                <Table.Td className={classes.cell} colSpan={2}>
                  <Text size="sm" c="dimmed">
                    Changed; values aren’t logged
                  </Text>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

const asIs = (line: string) => line
const permissionWords = (line: string) => (line === '*:*' ? 'Full change' : permissionName(line))

function Values({ before, after, say }: NonNullable<Change['values']> & { say: (line: string) => string }) {
  const [old, now] = [linesOf(before).map(say), linesOf(after).map(say)]
  return (
    <>
      <Lines of={old} other={now} As="del" />
      <Lines of={now} other={old} As="ins" />
    </>
  )
}

/** Marks the added and removed entries of a list. */
function Lines({ of, other, As }: { of: string[]; other: string[]; As: 'del' | 'ins' }) {
  return (
    <Table.Td className={classes.cell}>
      {of.length === 0 && dash}
      {[...new Set(of)].map((line) => (
        <div key={line}>{other.includes(line) ? line : <As className={classes.changed}>{line}</As>}</div>
      ))}
    </Table.Td>
  )
}
