import { useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ActionIcon, Group, Menu, Table } from '@mantine/core'
import { modals } from '@mantine/modals'
import {
  IconArrowBarToDown,
  IconArrowBarToUp,
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconGripVertical,
  IconListNumbers,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import type { OrganizationRow } from '../../data/organizations.ts'
import { OrganizationCells } from './organization-cells.tsx'
import classes from './organizations.module.css'
import { PositionForm } from './position-form.tsx'

interface Props {
  row: OrganizationRow
  /** From 1, in the whole list. */
  position: number
  total: number
  onMove: (position: number) => void
}

export function SortableRow({ row, position, total, onMove }: Props) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: row.id,
  })
  const navigate = useNavigate()
  const moveByKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!event.altKey || step === 0 || isDragging) return
    event.preventDefault()
    const next = position + step
    if (next >= 1 && next <= total) onMove(next)
  }
  return (
    <Table.Tr
      ref={setNodeRef}
      data-clickable
      data-dragging={isDragging || undefined}
      className={classes.row}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      onClick={() => navigate({ to: '/organizations/$orgId', params: { orgId: row.id } })}
      onKeyDown={moveByKey}
    >
      <Table.Td className={classes.grip} onClick={(event) => event.stopPropagation()}>
        <ActionIcon
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
          aria-label={`Move ${row.name}, number ${position}`}
          className={classes.handle}
        >
          <IconGripVertical size={16} />
        </ActionIcon>
      </Table.Td>
      <OrganizationCells row={row} />
      <Table.Td data-corner onClick={(event) => event.stopPropagation()}>
        <MoveMenu name={row.name} position={position} total={total} onMove={onMove} />
      </Table.Td>
    </Table.Tr>
  )
}

function MoveMenu({ name, position, total, onMove }: Omit<Props, 'row'> & { name: string }) {
  const isFirst = position === 1
  const isLast = position === total
  const askPosition = () =>
    modals.open({
      title: `Move ${name}`,
      children: <PositionForm position={position} total={total} onMove={onMove} />,
    })
  return (
    <Group justify="flex-end">
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${name}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconArrowUp size={16} />} disabled={isFirst} onClick={() => onMove(position - 1)}>
            Move up
          </Menu.Item>
          <Menu.Item leftSection={<IconArrowDown size={16} />} disabled={isLast} onClick={() => onMove(position + 1)}>
            Move down
          </Menu.Item>
          <Menu.Item leftSection={<IconArrowBarToUp size={16} />} disabled={isFirst} onClick={() => onMove(1)}>
            Move to the top
          </Menu.Item>
          <Menu.Item leftSection={<IconArrowBarToDown size={16} />} disabled={isLast} onClick={() => onMove(total)}>
            Move to the end
          </Menu.Item>
          <Menu.Item leftSection={<IconListNumbers size={16} />} onClick={askPosition}>
            Move to a position…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
