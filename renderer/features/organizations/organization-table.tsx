import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from '@dnd-kit/core'
import { restrictToVerticalAxis } from '@dnd-kit/modifiers'
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { Kbd, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { OrganizationRow } from '../../data/organizations.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable, type DataTableProps } from '../../ui/data-table/data-table.tsx'
import { dragAnnouncements } from './drag-announcements.ts'
import { MoveMenu } from './move-menu.tsx'
import { organizationColumns } from './organization-columns.tsx'
import { MoveHandle, SortableRow } from './sortable-row.tsx'
import { useOrder } from './use-order.ts'

interface Props {
  rows: OrganizationRow[]
  /** Position of the page in the whole list; undefined for search results, which cannot be sorted. */
  pagePosition: PagePosition | undefined
  isStale: boolean
}

interface PagePosition {
  page: number
  limit: number
  total: number
}

/** The order applies to everybody, so changing it takes the right to change organizations and access to all of them. */
export function OrganizationTable({ rows, pagePosition, isStale }: Props) {
  const me = useMe()
  const isSortable = me.scope === 'partner' && me.canManagePartnerWide && can(me, 'organizations:write')
  if (!pagePosition || pagePosition.total <= 1 || !isSortable)
    return <Organizations rows={rows} isStale={isStale} columns={organizationColumns} minWidth={640} />
  return (
    <>
      <OrderHint />
      <Sortable rows={rows} pagePosition={pagePosition} isStale={isStale} />
    </>
  )
}

type TableProps = Pick<DataTableProps<OrganizationRow>, 'rows' | 'isStale' | 'columns' | 'minWidth' | 'renderRow'>

function Organizations(props: TableProps) {
  const navigate = useNavigate()
  return (
    <DataTable
      {...props}
      label="Organizations"
      rowKey={({ id }) => id}
      columnChoice="organizations"
      isSingleLine
      onOpen={({ id }) => navigate({ to: '/organizations/$orgId', params: { orgId: id } })}
    />
  )
}

function OrderHint() {
  return (
    <Text size="xs" c="dimmed" mb="xs" className="screen-only">
      Drag a row by its handle to change the order, or use its menu
      <Text span inherit visibleFrom="sm">
        , or press <Kbd size="xs">Alt</Kbd> with <Kbd size="xs">↑</Kbd> or <Kbd size="xs">↓</Kbd> in a row
      </Text>
      .
    </Text>
  )
}

interface SortableProps {
  rows: OrganizationRow[]
  pagePosition: PagePosition
  isStale: boolean
}

function Sortable({ rows, pagePosition: { page, limit, total }, isStale }: SortableProps) {
  const order = useOrder({ page, limit })
  const before = (page - 1) * limit
  const ids = rows.map(({ id }) => id)
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const move = (row: OrganizationRow, position: number) => order.mutate({ row, position })
  const drop = (id: unknown, over: unknown) => {
    const row = rows.find((one) => one.id === id)
    const to = rows.findIndex((one) => one.id === over)
    if (row && to !== -1 && id !== over) move(row, before + to + 1)
  }
  const positionOf = (row: OrganizationRow) => before + rows.indexOf(row) + 1
  const handle: Column<OrganizationRow> = {
    id: 'order',
    title: 'Order',
    width: 40,
    isFixed: true,
    place: 'start',
    cell: (row) => <MoveHandle label={`Move ${row.name}, number ${positionOf(row)}`} />,
  }
  const menu = menuColumn((row: OrganizationRow) => (
    <MoveMenu name={row.name} position={positionOf(row)} total={total} onMove={(position) => move(row, position)} />
  ))
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      modifiers={[restrictToVerticalAxis]}
      accessibility={dragAnnouncements(rows, before)}
      onDragEnd={({ active, over }) => drop(active.id, over?.id)}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        <Organizations
          rows={rows}
          isStale={isStale}
          columns={[handle, ...organizationColumns, menu]}
          minWidth={700}
          renderRow={(row, props) => (
            <SortableRow
              {...props}
              id={row.id}
              position={positionOf(row)}
              total={total}
              onMove={(position) => move(row, position)}
            />
          )}
        />
      </SortableContext>
    </DndContext>
  )
}
