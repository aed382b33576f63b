import { count } from '../../lib/format.ts'
import { StatusDot } from '../../ui/status-dot.tsx'

/** Share of the limit in use; more than 100 % after a merge or after the limit was lowered. */
export function DeviceLimit({ used, limit }: { used: number; limit: number | null }) {
  if (limit === null) return 'None'
  const text = `${count(used)} of ${count(limit)} used`
  if (used < limit) return text
  return (
    <>
      {text} {used > limit ? <StatusDot tone="bad">Over the limit</StatusDot> : <StatusDot tone="warn">Full</StatusDot>}
    </>
  )
}
