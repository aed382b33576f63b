import { createRouter } from '@tanstack/react-router'
import { blockUnloadablePages, loadFirstPage } from './features/shell/lazy-page.tsx'
import { PageFailed } from './features/shell/page-failed.tsx'
import { auditRoute } from './routes/audit.ts'
import { authenticationRoutes } from './routes/authentication.ts'
import { backupRoutes } from './routes/backup.ts'
import { followSession } from './routes/follow-session.ts'
import { appRoute, indexRoute, notFoundRoute, rootRoute } from './routes/frame.tsx'
import { settingsRoutes } from './routes/settings.ts'
import { ssoRoutes } from './routes/sso.ts'
import { tenantRoutes } from './routes/tenants.ts'
import { PageLoading } from './ui/page-loading.tsx'

const routeTree = rootRoute.addChildren([
  ...authenticationRoutes,
  appRoute.addChildren([
    indexRoute,
    ...tenantRoutes,
    ...backupRoutes,
    ...settingsRoutes,
    ...ssoRoutes,
    auditRoute,
    notFoundRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
  // Plain text in the URL: `?search=007` stays text and needs no quotes.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
    return query && `?${query}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface HistoryState {
    /** Email address typed on one page of the sign-in and used on the next; kept out of the URL. */
    email?: string
    /** The second step of a sign-in, so that "Back" returns to the first; lost on a reload. */
    isChallenge?: boolean
  }
}

loadFirstPage(router)
blockUnloadablePages(router, appRoute)
followSession(router)
