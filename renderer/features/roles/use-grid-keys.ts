import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react'

/**
 * Roving tabindex for a grid of checkboxes: one Tab stop, and arrow keys to move within a row or to the nearest box
 * of the next row.
 */
export function useGridKeys<Element extends HTMLElement>(first: string | undefined) {
  const grid = useRef<Element>(null)
  const [last, setLast] = useState<string>()
  const rows = () =>
    [...(grid.current?.querySelectorAll('tbody tr') ?? [])].map(boxesIn).filter((boxes) => boxes.length > 0)
  const onKeyDown = (event: KeyboardEvent) => {
    const box = event.target
    if (!(box instanceof HTMLInputElement)) return
    const next = target(rows(), box, event.key)
    if (next === undefined) return
    event.preventDefault()
    next?.focus()
    next?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const onFocus = ({ target }: FocusEvent) => setLast((target as HTMLElement).dataset.permission)
  /** A search may hide the box that had the Tab stop. */
  const stopAmong = (shown: readonly string[]) => (last !== undefined && shown.includes(last) ? last : first)
  return { grid, stopAmong, onKeyDown, onFocus }
}

const boxesIn = (row: Element) => [...row.querySelectorAll<HTMLInputElement>('input[data-permission]')]
const columnOf = (box: Element) => box.closest('td')?.cellIndex ?? 0

/** Undefined for a key without a meaning here, null at the edge. */
function target(rows: HTMLInputElement[][], box: HTMLInputElement, key: string): HTMLInputElement | null | undefined {
  const at = rows.findIndex((boxes) => boxes.includes(box))
  const row = rows[at] ?? []
  const index = row.indexOf(box)
  switch (key) {
    case 'ArrowRight':
      return row[index + 1] ?? null
    case 'ArrowLeft':
      return row[index - 1] ?? null
    case 'Home':
      return row[0] ?? null
    case 'End':
      return row.at(-1) ?? null
    case 'ArrowDown':
      return nearest(rows[at + 1], box)
    case 'ArrowUp':
      return nearest(rows[at - 1], box)
  }
}

function nearest(row: HTMLInputElement[] = [], box: HTMLInputElement): HTMLInputElement | null {
  const distance = (other: HTMLInputElement) => Math.abs(columnOf(other) - columnOf(box))
  return row.toSorted((one, other) => distance(one) - distance(other))[0] ?? null
}
