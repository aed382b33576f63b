import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import type { RegisteredRouter } from '@tanstack/react-router'
import { enrollUrl } from '../../shared/api/auth.ts'
import { isReplacedSession } from '../features/authentication/sign-in/sign-in-reasons.ts'
import { api, isSignOut, onSession, type SessionEndReason } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'
import { isPageSuspended, suspendPage } from '../lib/suspended-page.ts'
import { discardUnsavedChanges, hasUnsavedChanges } from '../lib/unsaved-changes.ts'

let lastEnd: SessionEndReason | undefined

/**
 * Whether there is a session, and if not, why the last one ended. A click in the moment the session ends can reach
 * the sign-in first, and still shows the reason.
 */
export async function findSession(): Promise<{ isSignedIn: boolean; lastEnd: SessionEndReason | undefined }> {
  const isSignedIn = await api.restore()
  if (isSignedIn) lastEnd = undefined
  return { isSignedIn, lastEnd }
}

/** Navigates to where the session allows when it begins, ends or changes. */
export function followSession(router: RegisteredRouter): void {
  onSession({
    ended: (reason) => {
      const { href } = router.state.location
      const next = href === '/' ? undefined : href
      // Signing out clears the screen. In other cases unsaved changes suspend the page.
      if (!isSignOut(reason) && !isReplacedSession(reason) && hasUnsavedChanges()) return suspendPage(reason)
      lastEnd = reason
      api.signOut()
      suspendPage(null)
      discardUnsavedChanges()
      // A full page load forgets the former user.
      if (isReplacedSession(reason))
        return location.assign(router.buildLocation({ to: '/login', search: { next, reason } }).href)
      modals.closeAll()
      notifications.clean()
      // Queries are cleared after the page is left; before, it would refetch without a session.
      void router.navigate({ to: '/login', search: { next, reason } }).finally(() => queryClient.clear())
    },
    begun: () => {
      const { pathname, search } = router.state.location
      if (isPageSuspended()) {
        suspendPage(null)
        void queryClient.invalidateQueries()
      }
      // The login route redirects to the page that this tab was about to open.
      if (pathname === '/login' && !isReplacedSession(search.reason)) void router.invalidate()
    },
    changed: async () => {
      try {
        await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })
      } catch (error) {
        // The session is refused altogether: the route says why.
        if (error instanceof ApiError && error.status === 403) queryClient.removeQueries(meQuery)
      }
      void router.invalidate()
    },
    refused: () => void queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    barred: (bar) => {
      const { pathname, href } = router.latestLocation
      const isInactive = bar === 'inactive'
      // These pages may be refused some of their own calls.
      if (pathname === (isInactive ? '/account/inactive' : enrollUrl)) return
      void router.navigate(
        isInactive ? { to: '/account/inactive' } : { to: enrollUrl, search: { forced: '1', next: href } },
      )
    },
  })
}
