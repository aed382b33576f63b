import { useSyncExternalStore } from 'react'
import type { SessionEndReason } from './api.ts'

/** Why the session ended, while the page waits for its user to sign in again because it has unsaved changes. */
let suspendedBy: SessionEndReason | null = null
const listeners = new Set<() => void>()

export function suspendPage(reason: SessionEndReason | null): void {
  suspendedBy = reason
  for (const listener of listeners) listener()
}

export const isPageSuspended = (): boolean => suspendedBy !== null
export const usePageSuspension = (): SessionEndReason | null => useSyncExternalStore(subscribe, () => suspendedBy)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
