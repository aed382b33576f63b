import { ActionIcon, Group, Menu } from '@mantine/core'
import { type Icon, IconDots } from '@tabler/icons-react'

export interface RowAction {
  label: string
  Icon: Icon
  isDestructive?: boolean
  isDisabled?: boolean
  onClick: () => void
}

interface Props {
  /** What the actions are about, for the button's accessible name. */
  name: string
  actions: readonly RowAction[]
  isBusy?: boolean
}

/** Menu with the actions of a row in a table or list. */
export function RowMenu({ name, actions, isBusy }: Props) {
  return (
    <Group justify="flex-end">
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${name}`} loading={isBusy}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map(({ label, Icon, isDestructive, isDisabled, onClick }) => (
            <Menu.Item
              key={label}
              {...(isDestructive && { color: 'red' })}
              leftSection={<Icon size={16} />}
              disabled={isDisabled}
              onClick={onClick}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
