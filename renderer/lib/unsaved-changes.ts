import { useEffect } from 'react'

const defaultWarning = 'You have unsaved changes on this page. They’ll be lost if you leave.'

/** The changed forms on the page, with a warning for each. */
const changed = new Map<symbol, string>()

/** Called by each form with input worth keeping; not by searches, filters, wizard steps or password prompts. */
export function useUnsavedChanges(isDirty: boolean, warning = defaultWarning): void {
  useEffect(() => {
    if (!isDirty) return
    const form = Symbol()
    changed.set(form, warning)
    return () => void changed.delete(form)
  }, [isDirty, warning])
}

export const hasUnsavedChanges = (): boolean => changed.size > 0

/** Shown before leaving the page. */
export const unsavedChangesWarning = (): string => [...new Set(changed.values())].join(' ')

/** Drops all warnings. */
export const discardUnsavedChanges = (): void => changed.clear()
