import type { Key } from 'react'

/**
 * The selection after a click on a row’s box. With Shift, all rows from the one clicked before become what this one
 * becomes.
 */
export function selectionAfterClick(
  keys: readonly Key[],
  selected: ReadonlySet<Key>,
  clicked: Key,
  rangeFrom: Key | undefined,
): ReadonlySet<Key> {
  const to = keys.indexOf(clicked)
  const start = rangeFrom === undefined ? -1 : keys.indexOf(rangeFrom)
  const from = start === -1 ? to : start
  const range = keys.slice(Math.min(from, to), Math.max(from, to) + 1)
  return selected.has(clicked)
    ? new Set([...selected].filter((key) => !range.includes(key)))
    : new Set([...selected, ...range])
}
