import { useEffect } from 'react'

const typed = 'What you typed on this page is not saved, and is lost when you leave.'

/** The forms on the page that somebody changed since they were loaded or saved, and what would be lost with each. */
const changed = new Map<symbol, string>()

/** Each form says it of itself; searches, filters, steps of a wizard and whatever asks for a password do not. */
export function useUnsavedChanges(isDirty: boolean, loss = typed): void {
  useEffect(() => {
    if (!isDirty) return
    const form = Symbol()
    changed.set(form, loss)
    return () => void changed.delete(form)
  }, [isDirty, loss])
}

export const hasUnsavedChanges = (): boolean => changed.size > 0

/** What is told to who is about to leave. */
export const unsavedChangesWarning = (): string => [...new Set(changed.values())].join(' ')

/** What is typed is given up: nothing asks about it any more. */
export const discardUnsavedChanges = (): void => changed.clear()
