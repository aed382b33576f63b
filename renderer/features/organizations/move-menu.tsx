import { modals } from '@mantine/modals'
import { IconArrowBarToDown, IconArrowBarToUp, IconArrowDown, IconArrowUp, IconListNumbers } from '@tabler/icons-react'
import { RowMenu } from '../../ui/row-menu.tsx'
import { PositionForm } from './position-form.tsx'

interface Props {
  name: string
  /** From 1, in the whole list. */
  position: number
  total: number
  onMove: (position: number) => void
}

/** Moves an organization without dragging it. */
export function MoveMenu({ name, position, total, onMove }: Props) {
  const isFirst = position === 1
  const isLast = position === total
  const askPosition = () =>
    modals.open({
      title: `Move ${name}`,
      children: <PositionForm position={position} total={total} onMove={onMove} />,
    })
  return (
    <RowMenu
      name={name}
      actions={[
        { label: 'Move up', Icon: IconArrowUp, isDisabled: isFirst, onClick: () => onMove(position - 1) },
        { label: 'Move down', Icon: IconArrowDown, isDisabled: isLast, onClick: () => onMove(position + 1) },
        { label: 'Move to top', Icon: IconArrowBarToUp, isDisabled: isFirst, onClick: () => onMove(1) },
        { label: 'Move to end', Icon: IconArrowBarToDown, isDisabled: isLast, onClick: () => onMove(total) },
        { label: 'Move to position…', Icon: IconListNumbers, onClick: askPosition },
      ]}
    />
  )
}
