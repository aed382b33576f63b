import { useEffect } from 'react'
import { createStore } from 'zustand'

const defaultWarning = 'What you typed on this page is not saved, and is lost when you leave.'

/** The changed forms on the page, with a warning for each. */
const forms = createStore<{ changed: ReadonlyMap<symbol, string> }>(() => ({ changed: new Map() }))

function change(edit: (changed: Map<symbol, string>) => void): void {
  const changed = new Map(forms.getState().changed)
  edit(changed)
  forms.setState({ changed })
}

/** Called by each form with input worth keeping; not by searches, filters, wizard steps or password prompts. */
export function useUnsavedChanges(isDirty: boolean, warning = defaultWarning): void {
  useEffect(() => {
    if (!isDirty) return
    const form = Symbol()
    change((changed) => changed.set(form, warning))
    return () => change((changed) => changed.delete(form))
  }, [isDirty, warning])
}

export const hasUnsavedChanges = (): boolean => forms.getState().changed.size > 0

/** Shown before leaving the page. */
export const unsavedChangesWarning = (): string => [...new Set(forms.getState().changed.values())].join(' ')

/** Drops all warnings. */
export const discardUnsavedChanges = (): void => change((changed) => changed.clear())
