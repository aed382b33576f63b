import { useThrottledCallback } from '@mantine/hooks'
import { peopleChanged } from '../../data/people.ts'
import { useLiveEvent } from '../../domain/live-events/live-provider.tsx'

/** The whole list is read anew, and many things are written to the log of a large company. */
const restMs = 5000

/** Whoever accepts, is removed or gets another role is seen to; who may not read the log sees it when they come back. */
export function useLivePeople() {
  const look = useThrottledCallback(() => void peopleChanged(), restMs)
  useLiveEvent(({ type }) => {
    if (type === 'audit.written') look()
  })
}
