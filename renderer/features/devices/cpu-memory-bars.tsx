import { dash, percent } from '../../lib/format.ts'
import classes from './cpu-memory-bars.module.css'

interface Props {
  cpu: number | null
  memory: number | null
  /** False for a device that is not online: its last values are greyed out. */
  isCurrent: boolean
}

export function CpuAndMemoryBars({ cpu, memory, isCurrent }: Props) {
  if (cpu === null || memory === null) return <span>{dash}</span>
  const label = `CPU ${percent(cpu)}, memory ${percent(memory)}${isCurrent ? '' : ' at the last report'}`
  return (
    <span className={classes.pair} data-old={!isCurrent || undefined} role="img" aria-label={label} title={label}>
      <Bar value={cpu} />
      <Bar value={memory} />
    </span>
  )
}

function Bar({ value }: { value: number }) {
  return (
    <span className={classes.line}>
      <span
        className={classes.track}
        data-level={value >= 90 ? 'high' : undefined}
        style={{ backgroundSize: `${Math.min(100, Math.max(0, value))}% 100%` }}
      />
      <span className={classes.number}>{Math.round(value)} %</span>
    </span>
  )
}
