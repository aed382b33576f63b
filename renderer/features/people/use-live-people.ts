import { useThrottledCallback } from '@mantine/hooks'
import { peopleChanged } from '../../data/people.ts'
import { useLiveEvent } from '../../domain/live-events/live-provider.tsx'

/** The whole list is refetched, and a large partner writes many events. */
const restMs = 5000

/** Refetches people when the audit log announces changes; users who cannot read the log refetch on focus. */
export function useLivePeople() {
  const look = useThrottledCallback(() => void peopleChanged(), restMs)
  useLiveEvent(({ type }) => {
    if (type === 'audit.written') look()
  })
}
