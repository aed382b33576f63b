import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { count } from '../../../lib/format.ts'
import { areLetterKeysOn } from '../../../lib/letter-keys.ts'
import type { PreparedRow } from './column-mapping.ts'
import classes from './row-list.module.css'

interface Props {
  label: string
  rows: readonly PreparedRow[]
  /** A box, or null for a row that cannot be selected. The Tab key stops at one of them; arrow keys, J and K move on. */
  selectionOf?: (row: PreparedRow, isStop: boolean) => ReactNode
  stateOf: (row: PreparedRow) => ReactNode
  /** Shown below its row, which stays rendered even when scrolled out of view. */
  editor?: { index: number; node: ReactNode } | undefined
}

/** Rows of the file; only those in view are rendered. */
export function RowList({ label, rows, selectionOf, stateOf, editor }: Props) {
  const frame = useRef<HTMLElement>(null)
  const [lastStop, setLastStop] = useState<number>()
  const lastAt = rows.findIndex(({ index }) => index === lastStop)
  const stopAt = lastAt === -1 ? rows.findIndex((row) => selectionOf?.(row, false)) : lastAt
  const edited = editor ? rows.findIndex(({ index }) => index === editor.index) : -1
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 58,
    getItemKey: (at) => rows[at]?.index ?? at,
    overscan: 10,
    rangeExtractor: (range) => {
      const drawn = defaultRangeExtractor(range)
      return [...new Set([...drawn, edited, stopAt])].filter((at) => at !== -1).sort((a, b) => a - b)
    },
  })
  const rememberBox = ({ target }: FocusEvent<HTMLElement>) => {
    const at = target.matches(box) && target.closest<HTMLElement>('li')?.dataset.index
    if (at) setLastStop(rows[Number(at)]?.index)
  }
  return (
    <section
      ref={frame}
      className={classes.frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      onFocus={rememberBox}
      onKeyDown={moveBetweenBoxes}
    >
      <ul className={classes.list} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className={classes.row}
              style={{ transform: `translateY(${start}px)` }}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              {selectionOf && (
                <span className={classes.tick} data-tick>
                  {selectionOf(row, index === stopAt)}
                </span>
              )}
              <span className={classes.number}>Row {count(row.number)}</span>
              <div className={classes.cells}>
                <Person row={row} />
                <div>{stateOf(row)}</div>
                {editor?.index === row.index && <div className={classes.editor}>{editor.node}</div>}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const box = '[data-tick] input'

function moveBetweenBoxes(event: KeyboardEvent<HTMLElement>): void {
  const { key, target } = event
  if (!(target instanceof HTMLElement) || !target.matches(box)) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const isOn = areLetterKeysOn()
  const isDown = key === 'ArrowDown' || (isOn && key === 'j')
  const isUp = key === 'ArrowUp' || (isOn && key === 'k')
  if (isOn && key === 'x') target.click()
  if (!isDown && !isUp) return
  event.preventDefault()
  const next = (from: Element | null | undefined) => (isDown ? from?.nextElementSibling : from?.previousElementSibling)
  let row = next(target.closest('li'))
  while (row && !row.querySelector(box)) row = next(row)
  row?.querySelector<HTMLElement>(box)?.focus()
}

export const nameIn = ({ row: { name, email, phone, mobile } }: PreparedRow): string =>
  name || email || phone || mobile || 'No name'

function Person({ row }: { row: PreparedRow }) {
  const { email, phone, mobile, title, site } = row.row
  const more = [email, phone, mobile, title, site].filter((text) => text && text !== nameIn(row))
  return (
    <div>
      {nameIn(row)}
      <span className={classes.sub}>{more.join(' · ')}</span>
    </div>
  )
}

export function SecondaryText({ children }: { children: ReactNode }) {
  return children ? <span className={classes.sub}>{children}</span> : null
}
