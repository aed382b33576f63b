import { Tooltip } from '@mantine/core'
import { dash, exactTime, relativeTime } from '../lib/format.ts'
import { useNow } from '../lib/now.ts'

/** "3 minutes ago", with the exact time in a tooltip. */
export function RelativeTime({ at, never = dash }: { at: string | null; never?: string }) {
  const now = useNow()
  if (!at) return <span>{never}</span>
  return (
    <Tooltip label={exactTime(at)}>
      <time dateTime={at} className="nums" style={{ whiteSpace: 'nowrap' }}>
        {relativeTime(at, now)}
      </time>
    </Tooltip>
  )
}
