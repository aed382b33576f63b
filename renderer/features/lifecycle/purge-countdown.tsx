import { Text } from '@mantine/core'
import { relativeTime } from '../../lib/format.ts'
import { useNow } from '../../lib/now.ts'

/** How long it can still be restored. */
export function PurgeCountdown({ purgeAt }: { purgeAt: string }) {
  const now = useNow()
  const isDue = Date.parse(purgeAt) <= now
  return (
    <Text size="sm" mt={4} fw={600}>
      {isDue ? 'Deletion is due and starts within five minutes.' : `Deletion ${relativeTime(purgeAt, now)}.`}
    </Text>
  )
}
