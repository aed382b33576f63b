import { onlineManager } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

/** Whether the appliance is out of reach, as far as the live stream and the browser know. */
export const useIsOffline = (): boolean => !useSyncExternalStore(subscribe, () => onlineManager.isOnline())

/** For what failed without the appliance and is not a query; queries are read again by themselves. */
export function useOnReconnect(handler: () => void): void {
  const onReturn = useEffectEvent(handler)
  useEffect(() => onlineManager.subscribe((isOnline) => isOnline && onReturn()), [])
}

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)
