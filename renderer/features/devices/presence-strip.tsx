import { type Bar, barsOf, type Presence } from './presence-bars.ts'
import classes from './presence-strip.module.css'
import { presenceText, presenceTooltip } from './presence-words.ts'

const height = 12

interface Props {
  /** Absent until it is loaded. */
  presence: Presence | undefined
  /** As wide as there is room, with a column for five minutes instead of fifteen. */
  isWide?: boolean
}

/** The last 24 hours of a device: online high, maintenance in the middle, offline a line at the bottom. */
export function PresenceStrip({ presence, isWide }: Props) {
  if (!presence) return <span className={classes.strip} data-wide={isWide} />
  const columns = isWide ? 288 : 96
  return (
    <span className={classes.strip} data-wide={isWide} title={presenceTooltip(presence, Date.now())}>
      <svg
        viewBox={`0 0 ${columns} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={presenceText(presence)}
        shapeRendering="crispEdges"
      >
        {barsOf(presence, columns).map((bar) => (
          <rect key={bar.from} x={bar.from} width={bar.to - bar.from} data-shown={bar.shown} {...placeOf(bar)} />
        ))}
      </svg>
    </span>
  )
}

/** Told apart without color by where they are. */
function placeOf({ shown, quarters }: Bar) {
  if (shown === 'offline') return { y: height - 2, height: 2 }
  if (shown === 'maintenance') return { y: 4, height: 4 }
  const high = (height / 4) * quarters
  return { y: height - high, height: high }
}
