import { Text } from '@mantine/core'
import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { api } from '../../lib/api.ts'
import { isHeld } from '../../lib/hold.ts'
import { hasUnsaved } from '../../lib/unsaved.ts'
import { agrees } from '../../ui/agrees.tsx'

/** Asks before a page is left on which something is not saved. */
export function LeaveGuard() {
  useBlocker({ shouldBlockFn, enableBeforeUnload: hasUnsaved })
  return null
}

const shouldBlockFn: ShouldBlockFn = async ({ current, next }) => {
  // Dialogs and tabs have addresses too. And whoever signed out has left.
  if (!hasUnsaved() || current.pathname === next.pathname || api.owner() === null) return false
  if (isHeld()) return true
  const isLeaving = await agrees({
    title: 'Leave without saving?',
    words: <Text size="sm">What you typed on this page is not saved, and is lost when you leave.</Text>,
    confirm: 'Leave',
    cancel: 'Stay',
  })
  return !isLeaving
}
