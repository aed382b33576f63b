import { VisuallyHidden } from '@mantine/core'
import classes from './status-dot.module.css'

export type Tone = 'good' | 'idle' | 'busy' | 'warn' | 'bad'

interface Props {
  tone: Tone
  children: string
  isPulsing?: boolean
  /** Where there is no room for the word, it is told to who can not see the dot. */
  isShort?: boolean
  /** A sentence, which may take several lines. */
  isLong?: boolean
}

/** A state as dot and word; the word carries the meaning, the dot lets the eye find it. */
export function StatusDot({ tone, children, isPulsing, isShort, isLong }: Props) {
  return (
    <span className={classes.status} data-long={isLong || undefined} title={isShort ? children : undefined}>
      <span className={classes.dot} data-tone={tone} data-pulsing={isPulsing || undefined} aria-hidden />
      {isShort ? <VisuallyHidden>{children}</VisuallyHidden> : children}
    </span>
  )
}
