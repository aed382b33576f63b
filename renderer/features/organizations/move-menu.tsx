import { ActionIcon, Group, Menu } from '@mantine/core'
import { modals } from '@mantine/modals'
import {
  IconArrowBarToDown,
  IconArrowBarToUp,
  IconArrowDown,
  IconArrowUp,
  IconDots,
  IconListNumbers,
} from '@tabler/icons-react'
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
