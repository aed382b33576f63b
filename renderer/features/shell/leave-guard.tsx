import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { api } from '../../lib/api.ts'
import { isHeld } from '../../lib/suspended-page.ts'
import { hasUnsaved } from '../../lib/unsaved-changes.ts'
import { agreesToLeave } from '../../ui/confirm-leave.tsx'

/** Asks before a page is left on which something is not saved. */
export function LeaveGuard() {
  useBlocker({ shouldBlockFn, enableBeforeUnload: hasUnsaved })
  return null
}

const shouldBlockFn: ShouldBlockFn = async ({ current, next }) => {
  // Dialogs and tabs have addresses too. And whoever signed out has left.
  if (!hasUnsaved() || current.pathname === next.pathname || api.owner() === null) return false
  if (isHeld()) return true
  return !(await agreesToLeave())
}
