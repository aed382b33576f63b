import { hasUnsavedChanges, unsavedChangesWarning } from '../lib/unsaved-changes.ts'
import { askToConfirm } from './confirm.tsx'

/** Confirms leaving a page with unsaved changes. */
export const confirmLeave = (): Promise<boolean> =>
  askToConfirm({
    title: 'Leave without saving?',
    consequences: unsavedChangesWarning(),
    confirm: 'Leave',
  })

let isAsking = false

/** Closes a dialog with a form, after confirmation if there are unsaved changes. */
export const closeUnlessUnsaved = (close: () => unknown) => async () => {
  if (isAsking) return
  if (!hasUnsavedChanges()) return close()
  isAsking = true
  const leaves = await confirmLeave()
  // The key press that closed the confirmation still reaches the dialog below it.
  setTimeout(() => {
    isAsking = false
  })
  if (leaves) close()
}
