import { useIdle } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type EntryPage, entriesQuery, type LogPage } from '../../data/audit-log.ts'
import { useLiveEvent } from '../../domain/live-events/live-provider.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { newerEvents } from './event-count.ts'

interface FrozenPage {
  key: string
  page: EntryPage
}

/**
 * The newest entries as they arrive. While `isHeld`, scrolled down or about to point at a row, the list stays as it
 * is, and while one of the open entries is on it; `fresh` counts the events that arrived since, and `show` adds them.
 */
export function useLatestEvents(logPage: LogPage, isHeld: boolean, openEntries: readonly string[]) {
  const log = useLog(logPage)
  const [frozen, setFrozen] = useState<FrozenPage | null>(null)
  const isStill = useIdle(stillMs)
  const key = JSON.stringify(logPage)
  const shown = frozen?.key === key ? frozen.page : log.data
  const isOpen = shown?.data.some(({ id }) => openEntries.includes(id)) ?? false
  const isFollowing = useIsAtTop() && isStill && !isHeld && !isOpen
  const isNew = log.data !== undefined && !log.isPlaceholderData
  if (isFollowing && frozen) setFrozen(null)
  if (!isFollowing && isNew && frozen?.key !== key) setFrozen({ key, page: log.data })
  return {
    ...log,
    data: isFollowing ? log.data : (frozen?.page ?? log.data),
    fresh: frozen?.key === key && isNew ? newerEvents(frozen.page.data, log.data.data) : 0,
    show: () => {
      setFrozen(null)
      window.scrollTo({ top: 0 })
    },
  }
}

/** Refetches at every announcement of new events. A running fetch is not restarted; another one follows it. */
function useLog(logPage: LogPage) {
  const hasWord = can(useMe(), 'devices:read')
  const log = useQuery({ ...entriesQuery(logPage), refetchInterval: hasWord ? false : 15_000 })
  const { isFetching, refetch } = log
  const isMissed = useRef(false)
  const isLatest = logPage.until === undefined
  useLiveEvent(({ type }) => {
    if (!isLatest || (type !== 'audit.written' && type !== 'hello')) return
    if (isFetching) isMissed.current = true
    else void refetch()
  })
  useEffect(() => {
    if (isFetching || !isMissed.current) return
    isMissed.current = false
    void refetch()
  }, [isFetching, refetch])
  return log
}

/** How long mouse and keyboard have been idle. */
const stillMs = 1500
/** Scrolled less than this counts as at the top, in pixels. */
const nearTop = 40

const useIsAtTop = () =>
  useSyncExternalStore(
    (onChange) => {
      window.addEventListener('scroll', onChange, { passive: true })
      return () => window.removeEventListener('scroll', onChange)
    },
    () => window.scrollY < nearTop,
  )
