import { useEffect } from 'react'

/** The forms on the page that somebody changed since they were loaded or saved. */
const changed = new Set<symbol>()

/** Each form says it of itself; searches, filters, steps of a wizard and whatever asks for a password do not. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const form = Symbol()
    changed.add(form)
    return () => void changed.delete(form)
  }, [isDirty])
}

export const hasUnsaved = (): boolean => changed.size > 0

/** What is typed is given up: nothing asks about it any more. */
export const giveUpUnsaved = (): void => changed.clear()
