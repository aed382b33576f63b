import { useEffect, useEffectEvent } from 'react'

/** For a dialog on top of others: only it handles Escape, although every open dialog listens. */
export function useExclusiveEscape(isOpen: boolean, onEscape: () => void) {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopImmediatePropagation()
    onEscape()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handle(event)
    window.addEventListener('keydown', listener, { capture: true })
    return () => window.removeEventListener('keydown', listener, { capture: true })
  }, [])
}
