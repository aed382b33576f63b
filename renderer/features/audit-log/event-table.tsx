import { Button, Table } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { AuditEntryView } from '../../../shared/api/audit-log.ts'
import type { LogFilters } from '../../data/audit-log.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { columnsFor, type EventRow } from './event-columns.tsx'
import classes from './event-table.module.css'
import type { Unfolded, Unfolding } from './use-unfolded.ts'

interface Props {
  entries: readonly AuditEntryView[]
  isStale: boolean
  /** False where the list is about one organization. */
  hasOrganizations: boolean
  unfolding: Unfolding
  unfolded: ReadonlyMap<string, Unfolded>
  onOpen: (id: string) => void
  onNarrow: (change: LogFilters) => void
}

/** The table of events. A click on a row opens the event; one on the person or the target lists only theirs. */
export function EventTable({ entries, isStale, hasOrganizations, unfolding, unfolded, onOpen, onNarrow }: Props) {
  // Rows that were there at first do not slide in.
  const [since] = useState(entries[0]?.timestamp ?? '')
  const rows = entries.flatMap((entry): EventRow[] => {
    const { id, folded } = entry
    const parts = unfolded.get(id)?.events ?? []
    return [
      { event: entry, folded, isOpen: unfolded.has(id), entryId: id, isPart: false },
      ...parts.map((event) => ({ event, folded: null, isOpen: false, entryId: id, isPart: true })),
    ]
  })
  const lastOf = new Map(rows.map((row) => [row.entryId, row]))
  return (
    <DataTable
      label="Events"
      rows={rows}
      rowKey={({ event, isPart }) => `${isPart} ${event.id}`}
      columns={columnsFor({ onNarrow, onToggle: unfolding.toggle }).filter(
        ({ id }) => hasOrganizations || id !== 'organization',
      )}
      minWidth={900}
      isStale={isStale}
      columnChoice="audit-log"
      hasFixedWidths
      isSingleLine
      onOpen={({ event, folded }) => (folded ? unfolding.toggle(event.id) : onOpen(event.id))}
      renderRow={({ event, isPart }, row) => (
        <Table.Tr
          {...row}
          data-fresh={(!isPart && event.timestamp > since) || undefined}
          data-part={isPart || undefined}
          className={classes.row}
        />
      )}
      renderDetail={(row) =>
        lastOf.get(row.entryId) === row && restOf(unfolded.get(row.entryId), () => unfolding.showMore(row.entryId))
      }
    />
  )
}

/** Below what is shown of an open entry; null where that is everything. */
function restOf(unfolded: Unfolded | undefined, onMore: () => void): ReactNode {
  if (unfolded?.error) return <LoadFailed error={unfolded.error} onRetry={unfolded.retry} />
  if (unfolded?.isLoading) return <SkeletonLines count={2} />
  return (
    unfolded?.hasMore && (
      <Button size="xs" variant="default" onClick={onMore}>
        Show more
      </Button>
    )
  )
}
