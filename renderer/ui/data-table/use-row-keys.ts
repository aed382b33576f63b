import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'

/** On a page with several lists the keys belong to the one that has the focus, otherwise to the first. */
function hasKeys(container: HTMLElement | null): boolean {
  const lists = [...document.querySelectorAll('[data-row-keys]:has(a[data-main])')]
  return container === (lists.find((list) => list.contains(document.activeElement)) ?? lists[0])
}

/**
 * Moves between the links of rows with j and k, and with the arrow keys once one is focused. Spread the result on
 * the element around the rows; the link of a row carries `data-main`.
 */
export function useRowKeys<Element extends HTMLElement>() {
  const container = useRef<Element>(null)
  const links = () => [...(container.current?.querySelectorAll<HTMLElement>('a[data-main]') ?? [])]
  const move = (step: 1 | -1) => {
    if (!hasKeys(container.current)) return
    const all = links()
    const current = all.indexOf(document.activeElement as HTMLElement)
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
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['ArrowDown', moveFrom(1), { preventDefault: false }],
    ['ArrowUp', moveFrom(-1), { preventDefault: false }],
  ])
  return { ref: container, 'data-row-keys': true }
}
