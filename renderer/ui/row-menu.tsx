import { ActionIcon, Group, Menu } from '@mantine/core'
import { type Icon, IconDots } from '@tabler/icons-react'

export interface RowAction {
  label: string
  Icon: Icon
  isDestructive?: boolean
  onClick: () => void
}

interface Props {
  /** Of what the row shows, for those who hear the button. */
  name: string
  actions: readonly RowAction[]
  isBusy: boolean
}

/** What can be done with one row of a table, at its end. */
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
          {actions.map(({ label, Icon, isDestructive, onClick }) => (
            <Menu.Item
              key={label}
              {...(isDestructive && { color: 'red' })}
              leftSection={<Icon size={16} />}
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
