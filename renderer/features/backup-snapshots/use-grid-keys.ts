import { useHotkeys } from '@mantine/hooks'
import type { KeyboardEvent, RefObject } from 'react'
import { isTyping } from '../../lib/is-typing.ts'
import { useLetterKeys } from '../../lib/letter-keys.ts'

interface Acts {
  /** So many rows down. */
  move: (step: number) => void
  first: () => void
  last: () => void
  open: () => void
  up: () => void
  /** @param isRange whether all rows since the one chosen before are meant */
  choose: (isRange: boolean) => void
}

const rowsOfPage = 12

/**
 * The keys of a grid that has the focus itself and says which row is active. J, K, X, and where nothing has the focus the
 * arrows, work on the whole page.
 * @returns the handler for the grid
 */
export function useGridKeys(grid: RefObject<HTMLElement | null>, acts: Acts): (event: KeyboardEvent) => void {
  const { move, first, last, open, up, choose } = acts
  const isFree = () => document.activeElement === document.body || document.activeElement?.tagName === 'MAIN'
  const unlessTyping = (act: () => void) => (event: globalThis.KeyboardEvent) => {
    if (!isTyping(event)) act()
  }
  useLetterKeys(
    [
      ['j', unlessTyping(() => move(1)), { preventDefault: false }],
      ['k', unlessTyping(() => move(-1)), { preventDefault: false }],
      ['x', unlessTyping(() => choose(false)), { preventDefault: false }],
    ],
    [],
  )
  const whenFree = (act: () => void) => (event: globalThis.KeyboardEvent) => {
    if (!isFree()) return
    event.preventDefault()
    act()
  }
  useHotkeys([
    ['ArrowDown', whenFree(() => move(0)), { preventDefault: false }],
    ['ArrowUp', whenFree(() => move(0)), { preventDefault: false }],
    ['Backspace', whenFree(up), { preventDefault: false }],
  ])
  const byKey: Record<string, (event: KeyboardEvent) => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(rowsOfPage),
    PageUp: () => move(-rowsOfPage),
    Home: first,
    End: last,
    Backspace: up,
    Enter: open,
    ' ': ({ shiftKey }) => choose(shiftKey),
  }
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    // Boxes, links and buttons of a row have these themselves.
    const isOnGrid = event.target === grid.current
    if (!isOnGrid && (event.key === 'Enter' || event.key === ' ')) return
    const act = byKey[event.key]
    if (!act) return
    event.preventDefault()
    act(event)
  }
}
