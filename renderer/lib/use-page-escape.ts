import { useEffect, useEffectEvent } from 'react'
import { isDialogOpen } from './dialog-open.ts'
import { isTyping } from './is-typing.ts'

const opened = '[role="dialog"], [role="menu"], [role="listbox"]'

/** Escape where no field has the focus and nothing is open that it would close. */
export function usePageEscape(isActive: boolean, onEscape: () => void) {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isActive || isTyping(event)) return
    // A dialog may be closed by now, and its last element still be the target.
    const isWithin = event.target instanceof Element && event.target.closest(opened) !== null
    if (!isWithin && !isDialogOpen() && !document.querySelector('[role="menu"]')) onEscape()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handle(event)
    // Before a menu closes itself.
    window.addEventListener('keydown', listener, { capture: true })
    return () => window.removeEventListener('keydown', listener, { capture: true })
  }, [])
}
