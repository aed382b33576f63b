import { useSyncExternalStore } from 'react'
import type { SessionEnd } from './api.ts'

/** Why the session of the page ended, while the page waits for its owner because something on it is not saved. */
let held: SessionEnd | null = null
const listeners = new Set<() => void>()

export function setHold(reason: SessionEnd | null): void {
  held = reason
  for (const listener of listeners) listener()
}

export const isHeld = (): boolean => held !== null
export const useHold = (): SessionEnd | null => useSyncExternalStore(subscribe, () => held)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
