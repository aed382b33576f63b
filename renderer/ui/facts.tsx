import type { ReactNode } from 'react'
import { dash } from '../lib/format.ts'
import classes from './facts.module.css'

/** Names and values side by side; an unknown value is shown as a dash. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.list}>{children}</dl>
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  const isUnknown = children === null || children === undefined || children === ''
  return (
    <div className={classes.item}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>{isUnknown ? dash : children}</dd>
    </div>
  )
}
