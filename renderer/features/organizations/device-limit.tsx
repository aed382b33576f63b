import { count } from '../../lib/format.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

/** How much of a limit is used; it may be more than all, after a merge or when the limit was lowered. */
export function DeviceLimit({ used, limit }: { used: number; limit: number | null }) {
  if (limit === null) return 'None'
  const words = `${count(used)} of ${count(limit)} used`
  if (used < limit) return words
  return (
    <>
      {words}{' '}
      {used > limit ? <StatusDot tone="bad">Over the limit</StatusDot> : <StatusDot tone="warn">Full</StatusDot>}
    </>
  )
}
