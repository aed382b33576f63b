import { useSyncExternalStore } from 'react'
import type { SessionEndReason } from './api.ts'

/** Why the session ended, while the page waits for its user to sign in again because it has unsaved changes. */
let held: SessionEndReason | null = null
const listeners = new Set<() => void>()

export function suspendPage(reason: SessionEndReason | null): void {
  held = reason
  for (const listener of listeners) listener()
}

export const isPageSuspended = (): boolean => held !== null
export const usePageSuspension = (): SessionEndReason | null => useSyncExternalStore(subscribe, () => held)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
