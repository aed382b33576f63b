import { ActionIcon, Menu } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import type { Column } from './column.tsx'
import { hiddenFirst, withColumn } from './column-choice.ts'
import classes from './table.module.css'

interface Props {
  columns: readonly Pick<Column<never>, 'id' | 'title' | 'isFixed' | 'isHiddenFirst'>[]
  hidden: readonly string[]
  onChange: (hidden: string[]) => void
}

/** Chooses the columns of a table; it stays open, since more than one may be wanted. */
export function ColumnMenu({ columns, hidden, onChange }: Props) {
  const first = hiddenFirst(columns)
  const isChanged = hidden.length !== first.length || first.some((id) => !hidden.includes(id))
  return (
    // Another column may move the button out of a table that scrolls; the menu must not go with it.
    <Menu closeOnItemClick={false} hideDetached={false}>
      <Menu.Target>
        <ActionIcon size="sm" className={classes.menu} aria-label="Columns" title="Columns">
          <IconColumns3 size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns
          .filter(({ isFixed }) => !isFixed)
          .map(({ id, title }) => (
            <Menu.CheckboxItem
              key={id}
              checked={!hidden.includes(id)}
              onChange={(isShown) => onChange(withColumn(hidden, id, isShown))}
            >
              {title}
            </Menu.CheckboxItem>
          ))}
        {isChanged && (
          <>
            <Menu.Divider />
            <Menu.Item closeMenuOnClick onClick={() => onChange(first)}>
              Reset columns
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
