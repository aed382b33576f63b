import { Text } from '@mantine/core'
import { hasUnsavedChanges, unsavedChangesWarning } from '../lib/unsaved-changes.ts'
import { askToConfirm } from './confirm.tsx'

/** Asked of who has something on the page that is kept nowhere else. */
export const confirmLeave = (): Promise<boolean> =>
  askToConfirm({
    title: 'Leave without saving?',
    words: <Text size="sm">{unsavedChangesWarning()}</Text>,
    confirm: 'Leave',
    cancel: 'Stay',
  })

let isAsking = false

/** Closes a dialog with a form in it, unless what was typed there is to be kept. */
export const closeUnlessUnsaved = (close: () => unknown) => async () => {
  if (isAsking) return
  if (!hasUnsavedChanges()) return close()
  isAsking = true
  const leaves = await confirmLeave()
  // The key that closed the question is on its way to the dialog below it.
  setTimeout(() => {
    isAsking = false
  })
  if (leaves) close()
}
