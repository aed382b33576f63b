import { Text } from '@mantine/core'
import { hasUnsaved } from '../lib/unsaved.ts'
import { agrees } from './agrees.tsx'

/** Asked of who has typed something that is not saved. */
export const agreesToLeave = (): Promise<boolean> =>
  agrees({
    title: 'Leave without saving?',
    words: <Text size="sm">What you typed on this page is not saved, and is lost when you leave.</Text>,
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
