import { useWindowEvent } from '@mantine/hooks'
import { onlineManager, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { LiveEvent } from '../../../shared/api/events.ts'
import { backupKeys } from '../../data/backup-keys.ts'
import { deviceKeys } from '../../data/devices.ts'
import { organizationDependentKeys } from '../../data/lifecycle.ts'
import { applyLiveEvent, openEventStream } from '../../data/live-events.ts'
import { handleSessionMessage } from '../../lib/api.ts'
import { useIsOffline } from '../../lib/connectivity.ts'
import { followLive, type LiveState } from '../../lib/live-stream.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

const flushMs = 1500
const hiddenGraceMs = 30_000

interface Live {
  state: LiveState
  tryNow: () => void
  followDevice: (deviceId: string | undefined) => void
  listen: (listener: (event: LiveEvent) => void) => () => void
}

const LiveContext = createContext<Live | null>(null)

/** One stream per tab: general changes always, and everything about the device on the page. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  const [deviceId, followDevice] = useState<string>()
  const listeners = useRef(new Set<(event: LiveEvent) => void>())
  const isVisible = useVisible()
  const isAllowed = can(useMe(), 'devices:read')
  const [round, setRound] = useState(0)
  const isBroken = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round opens the stream at once
  useEffect(() => {
    if (!isAllowed) return onlineManager.setOnline(true)
    if (!isVisible) {
      isBroken.current = true
      return
    }
    const { stale, stop } = staleQueue(
      (queryKey, refetchType) => void client.invalidateQueries({ queryKey, refetchType }),
    )
    const close = followLive({
      open: (signal) => openEventStream(deviceId, signal),
      onEvent: (event) => {
        if (event.type === 'hello') {
          void catchUp(client, isBroken.current, deviceId)
          isBroken.current = false
        }
        applyLiveEvent(client, event, stale)
        if (event.type === 'goodbye') void handleSessionMessage(event.reason)
        if (event.type === 'goodbye' && event.reason === 'changed') {
          // The next stream states what is visible now; the page may show more than that.
          isBroken.current = true
          setRound((last) => last + 1)
        }
        for (const listener of listeners.current) listener(event)
      },
      onState: (next) => {
        if (next === 'paused') isBroken.current = true
        if (next !== 'connecting') onlineManager.setOnline(next === 'live')
        setState(next)
      },
    })
    return () => {
      close()
      stop()
    }
  }, [client, deviceId, isVisible, isAllowed, round])
  useEffect(() => () => onlineManager.setOnline(true), [])
  useWindowEvent('online', () => setRound((last) => last + 1))

  const live = useMemo<Live>(
    () => ({
      state: isAllowed ? state : 'live',
      tryNow: () => setRound((last) => last + 1),
      followDevice,
      listen: (listener) => {
        listeners.current.add(listener)
        return () => listeners.current.delete(listener)
      },
    }),
    [state, isAllowed],
  )
  return <LiveContext value={live}>{children}</LiveContext>
}

/** Query keys that live events keep up to date. */
const liveQueryKeys = [['devices'], backupKeys.all, ...organizationDependentKeys]

/** After a broken connection anything may have been missed; between two consecutive streams, only a moment. */
async function catchUp(client: QueryClient, isBroken: boolean, deviceId: string | undefined) {
  const refetchType = isBroken ? 'active' : 'none'
  await Promise.all(liveQueryKeys.map((queryKey) => client.invalidateQueries({ queryKey, refetchType })))
  if (isBroken) return
  if (deviceId) await client.invalidateQueries({ queryKey: deviceKeys.one(deviceId), exact: true })
}

function useLive(): Live {
  const live = use(LiveContext)
  if (!live) throw new Error('LiveProvider is missing')
  return live
}

export const useLiveState = (): LiveState => useLive().state

/** For the notice that says the stream is broken and offers to reconnect. */
export function useLiveConnection() {
  const { state, tryNow } = useLive()
  const isAway = useIsOffline()
  return { isBroken: isAway && state !== 'live', isTrying: state === 'connecting', tryNow }
}

/** Streams metrics, inventory and commands of one device while the caller is on the page. */
export function useFollowDevice(deviceId: string) {
  const { followDevice } = useLive()
  useEffect(() => {
    followDevice(deviceId)
    return () => followDevice(undefined)
  }, [deviceId, followDevice])
}

export function useLiveEvent(handler: (event: LiveEvent) => void) {
  const { listen } = useLive()
  const onEvent = useEffectEvent(handler)
  useEffect(() => listen((event) => onEvent(event)), [listen])
}

/** Collects stale keys and hands each over once per `flushMs`, however many events name it. */
function staleQueue(invalidate: (key: QueryKey, refetch: 'active' | 'none') => void) {
  const waiting = new Map<string, QueryKey>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (refetch: 'active' | 'none') => {
    timer = undefined
    for (const key of waiting.values()) invalidate(key, refetch)
    waiting.clear()
  }
  return {
    stale: (key: QueryKey) => {
      waiting.set(JSON.stringify(key), key)
      timer ??= setTimeout(() => flush('active'), flushMs)
    },
    // The keys stay stale, but nothing is refetched after the stream was left.
    stop: () => {
      clearTimeout(timer)
      flush('none')
    },
  }
}

/** Browsers limit connections per origin, so a hidden tab closes its stream after a while. */
function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const onChange = () => {
      clearTimeout(timer)
      if (document.hidden) timer = setTimeout(() => setVisible(false), hiddenGraceMs)
      else setVisible(true)
    }
    document.addEventListener('visibilitychange', onChange)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onChange)
    }
  }, [])
  return isVisible
}
