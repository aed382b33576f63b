import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'

/**
 * Moves among the rows' links by j/k, and by the arrows once one has the focus; Enter is the link's own.
 * Give `container` to the element that holds the rows; a row's link carries `data-main`.
 */
export function useRowKeys<Element extends HTMLElement>() {
  const container = useRef<Element>(null)
  const move = (step: 1 | -1) => {
    const links = [...(container.current?.querySelectorAll<HTMLElement>('a[data-main]') ?? [])]
    const current = links.indexOf(document.activeElement as HTMLElement)
    const next = current === -1 ? (step === 1 ? 0 : links.length - 1) : current + step
    links[next]?.focus()
    links[next]?.scrollIntoView({ block: 'nearest' })
  }
  const isInside = () => container.current?.contains(document.activeElement) ?? false
  const moveInside = (step: 1 | -1) => (event: KeyboardEvent) => {
    if (!isInside()) return
    event.preventDefault()
    move(step)
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['ArrowDown', moveInside(1), { preventDefault: false }],
    ['ArrowUp', moveInside(-1), { preventDefault: false }],
  ])
  return container
}
