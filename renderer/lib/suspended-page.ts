import { create } from 'zustand'
import type { SessionEndReason } from './api.ts'

/** Why the session ended, while the page waits for its user to sign in again because it has unsaved changes. */
const usePage = create<{ suspendedBy: SessionEndReason | null }>(() => ({ suspendedBy: null }))

export const suspendPage = (reason: SessionEndReason | null): void => usePage.setState({ suspendedBy: reason })

export const isPageSuspended = (): boolean => usePage.getState().suspendedBy !== null
export const usePageSuspension = (): SessionEndReason | null => usePage(({ suspendedBy }) => suspendedBy)
