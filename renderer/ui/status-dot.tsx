import classes from './status-dot.module.css'

export type Tone = 'good' | 'idle' | 'busy' | 'warn' | 'bad'

/** A state as dot and word; the word carries the meaning, the dot lets the eye find it. */
export function StatusDot({ tone, children, isPulsing }: { tone: Tone; children: string; isPulsing?: boolean }) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-tone={tone} data-pulsing={isPulsing || undefined} aria-hidden />
      {children}
    </span>
  )
}
