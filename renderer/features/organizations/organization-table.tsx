import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from '@dnd-kit/core'
import { restrictToVerticalAxis } from '@dnd-kit/modifiers'
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { Kbd, Table, Text, VisuallyHidden } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { OrganizationRow } from '../../data/organizations.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { dragAnnouncements } from './drag-announcements.ts'
import { OrganizationCells, OrganizationHeads } from './organization-cells.tsx'
import { SortableRow } from './sortable-row.tsx'
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
  const hasOrder = pagePosition && pagePosition.total > 1 && isSortable
  return (
    <>
      {hasOrder && <OrderHint />}
      <TableFrame label="Organizations" isStale={isStale}>
        {hasOrder ? <Sortable rows={rows} pagePosition={pagePosition} /> : <Plain rows={rows} />}
      </TableFrame>
    </>
  )
}

function OrderHint() {
  return (
    <Text size="xs" c="dimmed" mb="xs">
      To change the order, drag a row by its handle or use its menu
      <Text span inherit visibleFrom="sm">
        , or press <Kbd size="xs">Alt</Kbd> with <Kbd size="xs">↑</Kbd> or <Kbd size="xs">↓</Kbd> in a row
      </Text>
      .
    </Text>
  )
}

function Plain({ rows }: { rows: OrganizationRow[] }) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const navigate = useNavigate()
  return (
    <Table tabularNums miw={{ sm: 640 }}>
      <Table.Thead>
        <Table.Tr>
          <OrganizationHeads />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody {...body}>
        {rows.map((row) => (
          <Table.Tr
            key={row.id}
            data-clickable
            onClick={() => navigate({ to: '/organizations/$orgId', params: { orgId: row.id } })}
          >
            <OrganizationCells row={row} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Sortable({ rows, pagePosition }: { rows: OrganizationRow[]; pagePosition: PagePosition }) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const order = useOrder(pagePosition)
  const before = (pagePosition.page - 1) * pagePosition.limit
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
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      modifiers={[restrictToVerticalAxis]}
      accessibility={dragAnnouncements(rows, before)}
      onDragEnd={({ active, over }) => drop(active.id, over?.id)}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        <Table tabularNums miw={{ sm: 700 }}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={40}>
                <VisuallyHidden>Order</VisuallyHidden>
              </Table.Th>
              <OrganizationHeads />
              <Table.Th w={50}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody {...body}>
            {rows.map((row, index) => (
              <SortableRow
                key={row.id}
                row={row}
                position={before + index + 1}
                total={pagePosition.total}
                onMove={(position) => move(row, position)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </SortableContext>
    </DndContext>
  )
}
