import { notifications } from '@mantine/notifications'
import { wordsFor } from './error-words.ts'

export const notifyDone = (message: string) => notifications.show({ message, color: 'teal', autoClose: 4000 })

/** Taken, but nothing comes of it yet. */
export const notifyWaits = (message: string) => notifications.show({ message, color: 'yellow', autoClose: 8000 })

/** For an action whose place on the page can not show its own failure. */
export const notifyFailed = (what: string) => (error: Error) =>
  notifications.show({ title: what, message: wordsFor(error), color: 'red', autoClose: 8000 })
