import { Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { count } from '../../lib/format.ts'
import { isTyping } from '../../lib/is-typing.ts'
import classes from './table.module.css'

interface Props {
  /** How many rows are selected; without any, there is no bar. */
  selected: number
  /** How many of them are on other pages. */
  elsewhere?: number
  /** In place of “2 selected”. */
  words?: string
  onClear: () => void
  /** What can be done with them. */
  children: ReactNode
}

/**
 * Stands below a table, at the lower edge of the window, so that no row moves when it appears. The key `.` leads there
 * from any row, and a screen reader finds it as a region.
 */
export function SelectionBar({ selected, elsewhere = 0, words, onClear, children }: Props) {
  const said = words ?? `${count(selected)} selected`
  const bar = useRef<HTMLElement>(null)
  const focusActions = (event: KeyboardEvent) => {
    if (!isTyping(event)) bar.current?.querySelector('button')?.focus()
  }
  useHotkeys([['.', focusActions, { preventDefault: false }]], [])
  const row = useRef<HTMLElement>(null)
  const rememberRow = () => {
    row.current = document.querySelector<HTMLElement>('[data-selects-row]:checked')
  }
  // The focus would be lost with the bar.
  useLayoutEffect(() => {
    if (selected === 0 && bar.current?.contains(document.activeElement))
      (row.current?.isConnected ? row.current : anyRow())?.focus({ preventScroll: true })
  }, [selected])
  return (
    <>
      <VisuallyHidden role="status">{selected > 0 && `${said}, actions below the list`}</VisuallyHidden>
      <section
        ref={bar}
        aria-label="Selection"
        className={classes.selection}
        hidden={selected === 0}
        onFocus={rememberRow}
      >
        <Group gap="xs" justify="space-between" role="toolbar" aria-label="Selected rows">
          {selected > 0 && (
            <Text size="sm">
              {said}
              {elsewhere > 0 && (
                <Text span size="sm" c="dimmed">
                  , {count(elsewhere)} on other pages
                </Text>
              )}
            </Text>
          )}
          <Group gap="xs">
            {children}
            <Button variant="subtle" color="gray" size="xs" aria-label="Clear selection" onClick={onClear}>
              Clear
            </Button>
          </Group>
        </Group>
      </section>
    </>
  )
}

const anyRow = () => document.querySelector<HTMLElement>('[data-selects-row]')
