import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'
import { count } from '../../../lib/format.ts'
import type { PreparedRow } from './column-mapping.ts'
import classes from './row-list.module.css'

interface Props {
  label: string
  rows: readonly PreparedRow[]
  selectionOf?: (row: PreparedRow) => ReactNode
  stateOf: (row: PreparedRow) => ReactNode
  /** Shown below its row, which stays rendered even when scrolled out of view. */
  editor?: { index: number; node: ReactNode } | undefined
}

/** Rows of the file; only those in view are rendered. */
export function RowList({ label, rows, selectionOf, stateOf, editor }: Props) {
  const frame = useRef<HTMLElement>(null)
  const edited = editor ? rows.findIndex(({ index }) => index === editor.index) : -1
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 58,
    getItemKey: (at) => rows[at]?.index ?? at,
    overscan: 10,
    rangeExtractor: (range) => {
      const drawn = defaultRangeExtractor(range)
      return edited === -1 || drawn.includes(edited) ? drawn : [...drawn, edited].sort((a, b) => a - b)
    },
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section ref={frame} className={classes.frame} tabIndex={0} aria-label={label}>
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
              {selectionOf && <span className={classes.tick}>{selectionOf(row)}</span>}
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
