import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { messageFor } from './error-messages.ts'

export const notifyDone = (message: ReactNode) => notifications.show({ message, color: 'teal', autoClose: 4000 })

/** Accepted, but without effect yet. */
export const notifyPending = (message: string) => notifications.show({ message, color: 'yellow', autoClose: 8000 })

/** A failed sign-in of a user who still has a session. */
export const notifyStillSignedIn = (message: string) =>
  notifications.show({
    id: 'still-signed-in',
    title: 'You’re still signed in',
    message,
    color: 'yellow',
    autoClose: 12_000,
  })

/** For actions without a place for their error on the page. */
export const notifyFailed = (what: string) => (error: Error) =>
  notifications.show({ title: what, message: messageFor(error), color: 'red', autoClose: 8000 })
