import { dateOnly } from '../../lib/format.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** A planned date, and how far away it is. */
export function Deadline({ at }: { at: string | null }) {
  return (
    <>
      {at && `${dateOnly(at)}, `}
      <RelativeTime at={at} />
    </>
  )
}
