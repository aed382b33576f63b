import { createRootRoute, createRoute, Outlet, redirect, retainSearchParams } from '@tanstack/react-router'
import { z } from 'zod'
import { enrollUrl } from '../../shared/api/auth.ts'
import { NotFound } from '../domain/navigation/not-found.tsx'
import { homePageFor } from '../domain/navigation/pages.ts'
import { SessionEndedDialog } from '../features/authentication/sign-in/session-ended-dialog.tsx'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { LeaveGuard } from '../features/shell/leave-guard.tsx'
import { queryClient } from '../lib/query-client.ts'
import { meQuery, setupNeededQuery } from '../lib/session.ts'
import { findSession } from './follow-session.ts'
import { AppFrame } from './pages/app-frame.tsx'
import { id, oneOf } from './search.ts'

export const setupNeeded = () => queryClient.ensureQueryData(setupNeededQuery)

/** Components over every page. */
export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <LeaveGuard />
      <SessionEndedDialog />
    </>
  ),
})

/** The layout of every page behind the sign-in. */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  // The selected organization is kept from page to page and is part of shared links.
  validateSearch: z.object({ dialog: oneOf(['add-device', 'organization', 'protect', 'search']), org: id }),
  search: { middlewares: [retainSearchParams(['org'])] },
  beforeLoad: async ({ location }) => {
    const { isSignedIn, lastEnd } = await findSession()
    if (!isSignedIn) {
      if (await setupNeeded()) throw redirect({ to: '/setup', hash: location.hash })
      const next = location.pathname === '/' ? undefined : location.href
      throw redirect({ to: '/login', search: { next, reason: lastEnd } })
    }
    const me = await queryClient.ensureQueryData(meQuery)
    if (me.partnerStatus !== null && me.partnerStatus !== 'active') throw redirect({ to: '/account/inactive' })
    if (me.mfaEnrollment.required) throw redirect({ to: enrollUrl, search: { forced: '1', next: location.href } })
    if (me.requiresSetup) throw redirect({ to: '/setup' })
  },
  component: AppFrame,
})

export const indexRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  beforeLoad: async () => {
    const home = homePageFor(await queryClient.ensureQueryData(meQuery)).to
    if (home !== '/') throw redirect({ to: home })
  },
  component: lazyPage(() => import('./pages/home-page.tsx'), 'HomePage'),
})

/** Unknown URLs show a page within the layout. */
export const notFoundRoute = createRoute({ getParentRoute: () => appRoute, path: '$', component: NotFound })
