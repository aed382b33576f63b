import { useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { ActionIcon, Table } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import { createContext, type KeyboardEvent, useContext } from 'react'
import type { RowProps } from '../../ui/data-table/table-row.tsx'
import classes from './organizations.module.css'

interface Props extends RowProps {
  /** Of the organization. */
  id: string
  /** From 1, in the whole list. */
  position: number
  total: number
  onMove: (position: number) => void
}

type Handle = Pick<ReturnType<typeof useSortable>, 'attributes' | 'listeners' | 'setActivatorNodeRef'>

const brief = { duration: 120, easing: 'ease' }

/** The row knows how it is dragged, and the handle is a cell of it. */
const HandleOfRow = createContext<Handle | null>(null)

export function SortableRow({ id, position, total, onMove, ...row }: Props) {
  const { setNodeRef, transform, transition, isDragging, ...handle } = useSortable({ id, transition: brief })
  const moveByKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!event.altKey || step === 0 || isDragging) return
    event.preventDefault()
    const next = position + step
    if (next >= 1 && next <= total) onMove(next)
  }
  return (
    <HandleOfRow value={handle}>
      <Table.Tr
        {...row}
        ref={setNodeRef}
        data-dragging={isDragging || undefined}
        className={classes.row}
        style={{ transform: CSS.Translate.toString(transform), transition }}
        onKeyDown={moveByKey}
      />
    </HandleOfRow>
  )
}

export function MoveHandle({ label }: { label: string }) {
  const handle = useContext(HandleOfRow)
  return (
    <ActionIcon
      {...handle?.attributes}
      {...handle?.listeners}
      ref={handle?.setActivatorNodeRef}
      aria-label={label}
      className={classes.handle}
    >
      <IconGripVertical size={16} />
    </ActionIcon>
  )
}
