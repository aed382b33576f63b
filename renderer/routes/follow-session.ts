import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import type { RegisteredRouter } from '@tanstack/react-router'
import { enrollUrl } from '../../shared/api/auth.ts'
import { isReplacedSession } from '../features/authentication/sign-in/sign-in-reasons.ts'
import { api, onSession, type SessionEndReason } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'
import { isPageSuspended, suspendPage } from '../lib/suspended-page.ts'
import { discardUnsavedChanges, hasUnsavedChanges } from '../lib/unsaved-changes.ts'

let lastEnd: SessionEndReason | undefined

/**
 * Whether somebody is signed in, and if not, why not any more. Whoever follows a link in the moment their session ends
 * overtakes the way to the sign-in, and is told the reason there all the same.
 */
export async function findSession(): Promise<{ isSignedIn: boolean; lastEnd: SessionEndReason | undefined }> {
  const isSignedIn = await api.restore()
  if (isSignedIn) lastEnd = undefined
  return { isSignedIn, lastEnd }
}

/** Leads to where the session allows one to be, whenever it begins, ends or changes. */
export function followSession(router: RegisteredRouter): void {
  onSession({
    ended: (reason) => {
      const next = router.state.location.href
      // Who signed out leaves nothing on a screen. Whoever else was sent away may have something to save.
      if (reason !== 'signed-out' && !isReplacedSession(reason) && hasUnsavedChanges()) return suspendPage(reason)
      lastEnd = reason
      api.signOut()
      suspendPage(null)
      discardUnsavedChanges()
      // A page loaded anew knows nothing of the person before.
      if (isReplacedSession(reason))
        return location.assign(router.buildLocation({ to: '/login', search: { next, reason } }).href)
      modals.closeAll()
      notifications.clean()
      // What the page shows is forgotten once it is left: before, it would ask again, as nobody.
      void router.navigate({ to: '/login', search: { next, reason } }).finally(() => queryClient.clear())
    },
    begun: () => {
      const { pathname, search } = router.state.location
      if (isPageSuspended()) {
        suspendPage(null)
        void queryClient.invalidateQueries()
      }
      // Its door leads on, to where this tab was about to go.
      if (pathname === '/login' && !isReplacedSession(search.reason)) void router.invalidate()
    },
    changed: async () => {
      try {
        await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })
      } catch (error) {
        // Refused altogether: the door says why.
        if (error instanceof ApiError && error.status === 403) queryClient.removeQueries(meQuery)
      }
      void router.invalidate()
    },
    refused: () => void queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    barred: (bar) => {
      const { pathname, href } = router.latestLocation
      const isInactive = bar === 'inactive'
      // The page itself may be refused what it asks for.
      if (pathname === (isInactive ? '/account/inactive' : enrollUrl)) return
      void router.navigate(
        isInactive ? { to: '/account/inactive' } : { to: enrollUrl, search: { forced: '1', next: href } },
      )
    },
  })
}
