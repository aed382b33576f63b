import { dash, exactTime, relativeTime } from '../lib/format.ts'
import { useNow } from '../lib/now.ts'

interface Props {
  at: string | null
  never?: string
  /** "3m ago", where there is little room. */
  isShort?: boolean
  /** It is over, also when the clock of the browser is behind that of the server: “just now” instead of “in a moment”. */
  isPast?: boolean
}

/** "3 minutes ago", with the exact time in a tooltip, and read out. */
export function RelativeTime({ at, never = dash, isShort, isPast }: Props) {
  const now = useNow()
  if (!at) return <span>{never}</span>
  const exact = exactTime(at)
  const until = isPast ? Math.max(now, Date.parse(at)) : now
  return (
    <time dateTime={at} title={exact} className="nums time">
      {relativeTime(at, until, isShort ? 'narrow' : 'long')}
      <span className="visually-hidden">, {exact}</span>
    </time>
  )
}
