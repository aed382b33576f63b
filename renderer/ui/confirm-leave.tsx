import { Text } from '@mantine/core'
import { hasUnsaved, lossOfLeaving } from '../lib/unsaved-changes.ts'
import { agrees } from './confirm.tsx'

/** Asked of who has something on the page that is kept nowhere else. */
export const agreesToLeave = (): Promise<boolean> =>
  agrees({
    title: 'Leave without saving?',
    words: <Text size="sm">{lossOfLeaving()}</Text>,
    confirm: 'Leave',
    cancel: 'Stay',
  })

let isAsking = false

/** Closes a dialog with a form in it, unless what was typed there is to be kept. */
export const unlessUnsaved = (close: () => unknown) => async () => {
  if (isAsking) return
  if (!hasUnsaved()) return close()
  isAsking = true
  const leaves = await agreesToLeave()
  // The key that closed the question is on its way to the dialog below it.
  setTimeout(() => {
    isAsking = false
  })
  if (leaves) close()
}
