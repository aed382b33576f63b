import { notifications } from '@mantine/notifications'
import { wordsFor } from './error-words.ts'

export const notifyDone = (message: string) => notifications.show({ message, color: 'teal', autoClose: 4000 })

/** For an action whose place on the page can not show its own failure. */
export const notifyFailed = (what: string) => (error: Error) =>
  notifications.show({ title: what, message: wordsFor(error), color: 'red', autoClose: 8000 })
