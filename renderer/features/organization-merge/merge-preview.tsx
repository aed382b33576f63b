import { List, Stack, Table, Text } from '@mantine/core'
import type { MergePreview } from '../../../shared/api/organization-merge.ts'
import { ApiError } from '../../lib/api-error.ts'
import { count, dash } from '../../lib/format.ts'
import { FormError } from '../../ui/form-error.tsx'
import { Notice } from '../../ui/notice.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { type MovedRecords, movedRecords } from './merge-labels.ts'

interface Props {
  loser: string
  survivor: string
  preview: MergePreview | undefined
  error: unknown
  onRetry: () => void
}

/** What a merge would do. */
export function MergePreviewPanel({ loser, survivor, preview, error, onRetry }: Props) {
  // A refusal is the result of the preview; a failed request is not.
  if (error instanceof ApiError && error.status === 400) return <FormError error={error} />
  if (error && !preview) return <LoadFailed error={error} onRetry={onRetry} />
  if (!preview) return <SkeletonLines count={4} />
  const moves = movedRecords(preview.tables)
  return (
    <Stack gap="sm">
      {moves.length === 0 ? (
        <Text size="sm">{loser} is empty: nothing has to be moved.</Text>
      ) : (
        <MovedRecordsTable label={`What moves to ${survivor}`} moves={moves} heads={['Moves', 'Deleted']} />
      )}
      <Verdict preview={preview} />
    </Stack>
  )
}

interface MoveTableProps {
  label: string
  moves: MovedRecords[]
  /** Column headings for the moved and the deleted records. */
  heads: [string, string]
}

export function MovedRecordsTable({ label, moves, heads: [movedHead, droppedHead] }: MoveTableProps) {
  return (
    <Table tabularNums verticalSpacing={6} horizontalSpacing="xs" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>What</Table.Th>
          <Table.Th ta="right">{movedHead}</Table.Th>
          <Table.Th ta="right">{droppedHead}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {moves.map(({ what, moved, dropped }) => (
          <Table.Tr key={what}>
            <Table.Td>{what}</Table.Td>
            <Table.Td ta="right">{moved === 0 ? dash : count(moved)}</Table.Td>
            <Table.Td ta="right">{dropped === 0 ? dash : count(dropped)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Verdict({ preview: { verdict, totalMovableRows, warnings, blockers } }: { preview: MergePreview }) {
  return (
    <>
      {warnings.length > 0 && (
        <Notice tone="warn" title="Good to know">
          <Sentences lines={warnings} />
        </Notice>
      )}
      {verdict === 'blocked' && (
        <Notice tone="bad" role="alert" title="Can’t be merged yet">
          <Sentences lines={blockers} />
        </Notice>
      )}
      {verdict === 'too-large' && (
        <Notice tone="bad" role="alert" title="Too large to merge">
          <Text size="sm">
            {count(totalMovableRows)} records would have to move, which is more than this appliance allows at once. Its
            operator can raise ORG_MERGE_MAX_ROWS.
          </Text>
        </Notice>
      )}
    </>
  )
}

export function Sentences({ lines }: { lines: readonly string[] }) {
  return (
    <List size="sm" spacing={2}>
      {lines.map((line) => (
        <List.Item key={line}>{line}.</List.Item>
      ))}
    </List>
  )
}
