import { StatusDot } from '../../ui/status-dot.tsx'
import { bandNames, bandOf, bandTones } from './readiness-words.ts'

/** `74 · Partly ready`; in full `Partly ready: 74 of 100`. */
export function Score({ score, isLong }: { score: number; isLong?: boolean }) {
  const band = bandOf(score)
  return (
    <StatusDot tone={bandTones[band]}>
      {isLong ? `${bandNames[band]}: ${score} of 100` : `${score} · ${bandNames[band]}`}
    </StatusDot>
  )
}
