import { ActionIcon, Menu } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import type { Column } from './column.tsx'
import { hiddenFirst, withColumn } from './column-choice.ts'
import classes from './table.module.css'

interface Props {
  columns: readonly Pick<Column<never>, 'id' | 'title' | 'isFixed' | 'isHiddenFirst'>[]
  hidden: readonly string[]
  onChange: (hidden: string[]) => void
  /** The menu is in the last heading, which may be another one after the choice. */
  hasFocusAgain: boolean
}

/** Chooses the columns of a table. */
export function ColumnMenu({ columns, hidden, onChange, hasFocusAgain }: Props) {
  const first = hiddenFirst(columns)
  const isChanged = hidden.length !== first.length || first.some((id) => !hidden.includes(id))
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon
          ref={hasFocusAgain ? focusOnMount : undefined}
          size="sm"
          className={classes.menu}
          aria-label="Columns"
          title="Columns"
        >
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
            <Menu.Item onClick={() => onChange(first)}>Reset columns</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

const focusOnMount = (button: HTMLButtonElement | null) => button?.focus({ preventScroll: true })
