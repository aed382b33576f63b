import { useInterval, useLocalStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent } from 'react'

/** After so long without the console, using it again is another visit. */
const pauseMs = 30 * 60_000
const everyMs = 60_000

interface Visit {
  /** When the visit before this one ended; ISO 8601. Null on the first visit. */
  previousEnd: string | null
  lastActive: string
}

/** The visit that goes on or begins now. */
export function visitAt(now: number, last: Visit | null): Visit {
  const lastActive = new Date(now).toISOString()
  if (!last) return { previousEnd: null, lastActive }
  const isAnother = now - Date.parse(last.lastActive) > pauseMs
  return { previousEnd: isAnother ? last.lastActive : last.previousEnd, lastActive }
}

const useVisit = (userId: string) =>
  useLocalStorage<Visit | null>({
    key: `homeport.visit.${userId}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  })

/** Notes that the user is here, as long as the page is visible. */
export function useNoteVisit(userId: string): void {
  const [, setVisit] = useVisit(userId)
  const note = useEffectEvent(() => {
    if (document.visibilityState === 'visible') setVisit((last) => visitAt(Date.now(), last))
  })
  useInterval(() => note(), everyMs, { autoInvoke: true })
  useEffect(() => {
    note()
    const onVisible = () => note()
    document.addEventListener('visibilitychange', onVisible)
    return () => document.removeEventListener('visibilitychange', onVisible)
  }, [])
}

/** When the user used the console before this visit, in this browser; null where that is not known. */
export const usePreviousVisit = (userId: string): string | null => useVisit(userId)[0]?.previousEnd ?? null
