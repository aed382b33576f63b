import { count } from '../../lib/format.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

/** How much of a limit is used; it may be more than all, after a merge or when the limit was lowered. */
export function DeviceLimit({ used, limit }: { used: number; limit: number | null }) {
  if (limit === null) return 'None'
  const words = `${count(used)} of ${count(limit)} used`
  if (used > limit) return <StatusDot tone="bad">{`${words}, over the limit`}</StatusDot>
  return used === limit ? <StatusDot tone="warn">{`${words}, full`}</StatusDot> : words
}
