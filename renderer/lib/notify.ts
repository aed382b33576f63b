import { notifications } from '@mantine/notifications'
import { messageFor } from './error-messages.ts'

export const notifyDone = (message: string) => notifications.show({ message, color: 'teal', autoClose: 4000 })

/** Taken, but nothing comes of it yet. */
export const notifyPending = (message: string) => notifications.show({ message, color: 'yellow', autoClose: 8000 })

/** A sign-in that did not work, told to somebody who is signed in all the while. */
export const notifyStillSignedIn = (message: string) =>
  notifications.show({
    id: 'still-signed-in',
    title: 'You are signed in as before',
    message,
    color: 'yellow',
    autoClose: 12_000,
  })

/** For an action whose place on the page can not show its own failure. */
export const notifyFailed = (what: string) => (error: Error) =>
  notifications.show({ title: what, message: messageFor(error), color: 'red', autoClose: 8000 })
