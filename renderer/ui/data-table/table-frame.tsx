import type { ReactNode } from 'react'
import classes from './table.module.css'

/** Border around a table; `isStale` fades it while the next page loads. */
export function TableFrame({ label, isStale, children }: { label: string; isStale?: boolean; children: ReactNode }) {
  return (
    <section
      className={classes.frame}
      data-stale={isStale || undefined}
      aria-busy={isStale}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {children}
    </section>
  )
}
