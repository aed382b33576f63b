import type { ReactNode } from 'react'
import { focusIfScrollable } from '../scroll-focus.ts'
import classes from './table.module.css'

interface Props {
  label: string
  isStale?: boolean | undefined
  isSingleLine?: boolean | undefined
  children: ReactNode
}

/** Border around a table; `isStale` fades it while the next page loads. */
export function TableFrame({ label, isStale, isSingleLine, children }: Props) {
  return (
    <section
      className={classes.frame}
      data-stale={isStale || undefined}
      data-single-line={isSingleLine || undefined}
      aria-busy={isStale}
      aria-label={label}
      ref={focusIfScrollable}
    >
      {children}
    </section>
  )
}
