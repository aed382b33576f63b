import { onlineManager } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

/** Whether the appliance is unreachable, as far as the live stream and the browser know. */
export const useIsOffline = (): boolean => !useSyncExternalStore(subscribe, () => onlineManager.isOnline())

/** Retries what failed while offline and is no query; queries are refetched by themselves. */
export function useOnReconnect(handler: () => void): void {
  const onReturn = useEffectEvent(handler)
  useEffect(() => onlineManager.subscribe((isOnline) => isOnline && onReturn()), [])
}

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)
