import { useEffect } from 'react'

const typed = 'What you typed on this page is not saved, and is lost when you leave.'

/** The changed forms on the page, with a warning for each. */
const changed = new Map<symbol, string>()

/** Called by each form with input worth keeping; not by searches, filters, wizard steps or password prompts. */
export function useUnsavedChanges(isDirty: boolean, loss = typed): void {
  useEffect(() => {
    if (!isDirty) return
    const form = Symbol()
    changed.set(form, loss)
    return () => void changed.delete(form)
  }, [isDirty, loss])
}

export const hasUnsavedChanges = (): boolean => changed.size > 0

/** Shown before leaving the page. */
export const unsavedChangesWarning = (): string => [...new Set(changed.values())].join(' ')

/** Drops all warnings. */
export const discardUnsavedChanges = (): void => changed.clear()
