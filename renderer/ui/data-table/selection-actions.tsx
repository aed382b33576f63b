import { Button, Menu } from '@mantine/core'
import { type Icon, IconChevronDown } from '@tabler/icons-react'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'

interface Single {
  label: string
  /** In the menu. */
  Icon: Icon
  run: () => void
}

/** What can be done with selected rows: one thing, or a choice of some under a name. */
export type SelectionAction = Single | { label: string; choices: readonly Single[] }

/** The actions of a selection bar: a button each, on a narrow screen one menu. */
export function SelectionActions({ actions }: { actions: readonly SelectionAction[] }) {
  const isNarrow = useNarrowScreen()
  if (isNarrow)
    return <ActionMenu label="Actions" choices={actions.flatMap((one) => ('choices' in one ? one.choices : [one]))} />
  return actions.map((action) =>
    'choices' in action ? (
      <ActionMenu key={action.label} {...action} />
    ) : (
      <Button key={action.label} variant="default" size="xs" onClick={action.run}>
        {action.label}
      </Button>
    ),
  )
}

interface MenuProps {
  label: string
  choices: readonly Single[]
}

function ActionMenu({ label, choices }: MenuProps) {
  return (
    <Menu position="top-end">
      <Menu.Target>
        <Button variant="default" size="xs" rightSection={<IconChevronDown size={14} />}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map((one) => (
          <Menu.Item key={one.label} leftSection={<one.Icon size={16} />} onClick={one.run}>
            {one.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
