import classes from './status-dot.module.css'

export type Tone = 'good' | 'idle' | 'busy' | 'warn' | 'bad'

interface Props {
  tone: Tone
  children: string
  isPulsing?: boolean
  /** Hides the word where there is no room; screen readers still get it. */
  isShort?: boolean
  /** Allows several lines. */
  isLong?: boolean
}

/** A status as dot and word; the word carries the meaning. */
export function StatusDot({ tone, children, isPulsing, isShort, isLong }: Props) {
  return (
    <span className={classes.status} data-long={isLong || undefined} title={isShort ? children : undefined}>
      <span className={classes.dot} data-tone={tone} data-pulsing={isPulsing || undefined} aria-hidden />
      {isShort ? <span className="visually-hidden">{children}</span> : children}
    </span>
  )
}
