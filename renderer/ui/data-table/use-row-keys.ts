import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'
import { isTyping } from '../../lib/is-typing.ts'
import { useLetterKeys } from '../../lib/letter-keys.ts'

/** On a page with several lists the keys belong to the one that has the focus, otherwise to the first. */
function hasKeys(container: HTMLElement | null): boolean {
  const lists = [...document.querySelectorAll('[data-row-keys]:has(a[data-main])')]
  return container === (lists.find((list) => list.contains(document.activeElement)) ?? lists[0])
}

const rowOf = (element: Element) => element.closest('tr, li')

/**
 * Moves between the links of rows with j and k, and with the arrow keys once one is focused; x selects the row. Spread the result on
 * the element around the rows; the link of a row carries `data-main`.
 */
export function useRowKeys<Element extends HTMLElement>() {
  const container = useRef<Element>(null)
  const links = () => [...(container.current?.querySelectorAll<HTMLElement>('a[data-main]') ?? [])]
  const move = (step: 1 | -1) => {
    if (!hasKeys(container.current)) return
    const all = links()
    const current = all.findIndex((link) => rowOf(link)?.contains(document.activeElement))
    const next = current === -1 ? (step === 1 ? 0 : all.length - 1) : current + step
    all[next]?.focus()
    all[next]?.scrollIntoView({ block: 'nearest' })
  }
  // Other elements of a row, such as a drag handle, use the arrow keys themselves.
  const isOnLink = () => links().some((link) => link === document.activeElement)
  const moveFrom = (step: 1 | -1) => (event: KeyboardEvent) => {
    if (!isOnLink()) return
    event.preventDefault()
    move(step)
  }
  const selectFocused = () => {
    const row = document.activeElement && rowOf(document.activeElement)
    if (row && container.current?.contains(row)) row.querySelector<HTMLInputElement>('[data-selects-row]')?.click()
  }
  const unlessTyping = (act: () => void) => (event: KeyboardEvent) => {
    if (!isTyping(event)) act()
  }
  useLetterKeys(
    [
      ['j', unlessTyping(() => move(1)), { preventDefault: false }],
      ['k', unlessTyping(() => move(-1)), { preventDefault: false }],
      ['x', unlessTyping(selectFocused), { preventDefault: false }],
    ],
    [],
  )
  useHotkeys(
    [
      ['ArrowDown', moveFrom(1), { preventDefault: false }],
      ['ArrowUp', moveFrom(-1), { preventDefault: false }],
    ],
    [],
  )
  return { ref: container, 'data-row-keys': true }
}
