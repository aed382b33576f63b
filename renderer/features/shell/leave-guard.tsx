import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { api } from '../../lib/api.ts'
import { isPageSuspended } from '../../lib/suspended-page.ts'
import { hasUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { confirmLeave } from '../../ui/confirm-leave.tsx'

/** Asks before leaving a page with unsaved changes. */
export function LeaveGuard() {
  useBlocker({ shouldBlockFn, enableBeforeUnload: hasUnsavedChanges })
  return null
}

const shouldBlockFn: ShouldBlockFn = async ({ current, next }) => {
  // Dialogs and tabs only change the search; after signing out, nothing is kept.
  if (!hasUnsavedChanges() || current.pathname === next.pathname || api.owner() === null) return false
  if (isPageSuspended()) return true
  return !(await confirmLeave())
}
