import { type ReactNode, useEffect, useState } from 'react'
import { focusIfScrollable } from '../scroll-focus.ts'
import classes from './table.module.css'

interface Props {
  label: string
  isStale?: boolean | undefined
  isSingleLine?: boolean | undefined
  /** Wider than usual: it may have to scroll sideways on any screen. */
  isWide?: boolean
  children: ReactNode
}

/** Border around a table; `isStale` fades it if the next page takes long. */
export function TableFrame({ label, isStale = false, isSingleLine, isWide, children }: Props) {
  const isLong = useIsLong(isStale)
  return (
    <section
      className={classes.frame}
      data-stale={isLong || undefined}
      data-single-line={isSingleLine || undefined}
      data-wide={isWide || undefined}
      aria-busy={isStale}
      aria-label={label}
      ref={focusIfScrollable}
    >
      {children}
    </section>
  )
}

const longMs = 200

/** Not by the delay of a transition: a browser makes a picture of the whole table for that, even if it never begins. */
function useIsLong(isSo: boolean): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = isSo ? setTimeout(() => setLong(true), longMs) : undefined
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isSo])
  return isLong
}
