import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { z } from 'zod'
import { enrollUrl } from '../shared/api/auth.ts'
import { deviceSort, deviceStatus } from '../shared/api/devices.ts'
import { mailStatus } from '../shared/api/messaging.ts'
import { osType } from '../shared/device/inventory.ts'
import { standingQuery } from './features/inactive/data.ts'
import { AppLayout } from './features/shell/app-layout.tsx'
import { NotFound, PageFailed, Starting } from './features/shell/fallbacks.tsx'
import { lazyPage, staysWhereItIs } from './features/shell/lazy-page.tsx'
import { LeaveGuard } from './features/shell/leave-guard.tsx'
import { homeOf } from './features/shell/pages.ts'
import { SessionOver } from './features/shell/session-over.tsx'
import { signInReasonNames } from './features/sign-in/notices.ts'
import { api, onSession } from './lib/api.ts'
import { ApiError } from './lib/api-error.ts'
import { isHeld, setHold } from './lib/hold.ts'
import { queryClient } from './lib/query-client.ts'
import { safeNext } from './lib/safe-next.ts'
import { configQuery, meQuery, setupNeededQuery } from './lib/session.ts'
import { giveUpUnsaved, hasUnsaved } from './lib/unsaved.ts'

/** What does not parse in a link is left out rather than shown as an error. */
const text = z.string().max(255).optional().catch(undefined)
const id = z.uuid().optional().catch(undefined)
const pageNumber = z.coerce.number().int().min(2).max(1_000_000).optional().catch(undefined)
const oneOf = <const T extends string>(values: readonly T[]) =>
  z
    .enum(values as readonly [T, ...T[]])
    .optional()
    .catch(undefined)

const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <LeaveGuard />
      <SessionOver />
    </>
  ),
})

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: z.object({ next: text, reason: oneOf(signInReasonNames), error: text }),
  beforeLoad: async ({ search }) => {
    // Nobody is made somebody else without a word.
    const isOther = search.reason === 'another-person'
    if (!isOther && (await api.restore().catch(() => false))) throw redirect({ href: safeNext(search.next) ?? '/' })
    if (await setupNeeded()) throw redirect({ to: '/setup' })
    await queryClient.prefetchQuery(configQuery)
  },
  component: lazyPage(() => import('./features/sign-in/login-page.tsx'), 'LoginPage'),
})

const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  component: lazyPage(() => import('./features/passwords/forgot-password-page.tsx'), 'ForgotPasswordPage'),
})

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  validateSearch: z.object({ token: text }),
  component: lazyPage(() => import('./features/passwords/reset-password-page.tsx'), 'ResetPasswordPage'),
})

const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register-partner',
  beforeLoad: async () => {
    const { registration } = await queryClient.ensureQueryData(configQuery)
    if (!registration.enabled || !registration.shown)
      throw redirect({ to: '/login', search: { reason: 'registration-disabled' } })
  },
  component: lazyPage(() => import('./features/registration/register-page.tsx'), 'RegisterPage'),
})

const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/verify-email',
  validateSearch: z.object({ token: text }),
  component: lazyPage(() => import('./features/registration/verify-email-page.tsx'), 'VerifyEmailPage'),
})

const factorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: enrollUrl,
  validateSearch: z.object({ forced: oneOf(['1']), next: text }),
  beforeLoad: async ({ location, search }) => {
    if (!(await api.restore())) throw redirect({ to: '/login', search: { next: location.href } })
    const me = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })
    if (me.mfaEnabled) throw redirect({ href: safeNext(search.next) ?? '/settings/profile' })
  },
  component: lazyPage(() => import('./features/sign-in/factor-page.tsx'), 'FactorPage'),
})

const inactiveRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account/inactive',
  beforeLoad: async () => {
    if (!(await api.restore())) throw redirect({ to: '/login' })
    const standing = await queryClient.fetchQuery({ ...standingQuery, staleTime: 0 })
    if (standing.status === 'active') throw redirect({ to: '/' })
  },
  component: lazyPage(() => import('./features/inactive/inactive-page.tsx'), 'InactivePage'),
})

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  validateSearch: z.object({ code: text, step: oneOf(['organization', 'factor', 'device']) }),
  beforeLoad: async () => {
    const isSignedIn = await api.restore()
    if (!isSignedIn && !(await setupNeeded())) throw redirect({ to: '/login' })
    if (!isSignedIn) return
    const me = await queryClient.ensureQueryData(meQuery)
    if (!me.requiresSetup) throw redirect({ to: '/' })
  },
  component: lazyPage(() => import('./features/setup/setup-page.tsx'), 'SetupPage'),
})

const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  validateSearch: z.object({ dialog: oneOf(['add-device']) }),
  beforeLoad: async ({ location }) => {
    if (!(await api.restore())) {
      if (await setupNeeded()) throw redirect({ to: '/setup', hash: location.hash })
      throw redirect({ to: '/login', search: { next: location.pathname === '/' ? undefined : location.href } })
    }
    const me = await queryClient.ensureQueryData(meQuery)
    if (me.partnerStatus !== null && me.partnerStatus !== 'active') throw redirect({ to: '/account/inactive' })
    if (me.mfaEnrollment.required) throw redirect({ to: enrollUrl, search: { forced: '1', next: location.href } })
    if (me.requiresSetup) throw redirect({ to: '/setup' })
  },
  component: AppLayout,
})

const indexRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  beforeLoad: async () => {
    throw redirect({ to: homeOf(await queryClient.ensureQueryData(meQuery)).to })
  },
})

/** Addresses that lead nowhere are told so inside the frame. */
const nowhereRoute = createRoute({ getParentRoute: () => appRoute, path: '$', component: NotFound })

const devicesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/devices',
  validateSearch: z.object({
    search: text,
    org: id,
    site: id,
    status: oneOf(deviceStatus.options),
    os: oneOf(osType.options),
    sort: oneOf(deviceSort.options),
    dir: oneOf(['asc', 'desc']),
    page: pageNumber,
    limit: oneOf(['25', '100']),
  }),
  component: lazyPage(() => import('./features/devices/device-list-page.tsx'), 'DeviceListPage'),
})

const deviceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/devices/$deviceId',
  validateSearch: z.object({
    tab: oneOf(['hardware', 'network', 'software', 'commands']),
    range: oneOf(['6h', '24h', '7d']),
    search: text,
    page: pageNumber,
    command: id,
    panel: oneOf(['script']),
  }),
  component: lazyPage(() => import('./features/devices/device-page.tsx'), 'DevicePage'),
})

const organizationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/organizations',
  validateSearch: z.object({ search: text, page: pageNumber, create: oneOf(['organization']) }),
  component: lazyPage(() => import('./features/organizations/organization-list-page.tsx'), 'OrganizationListPage'),
})

const organizationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/organizations/$orgId',
  validateSearch: z.object({ edit: oneOf(['organization', 'new-site']), site: id }),
  component: lazyPage(() => import('./features/organizations/organization-page.tsx'), 'OrganizationPage'),
})

const enrollmentKeysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/enrollment-keys',
  validateSearch: z.object({ org: id, state: oneOf(['current', 'expired']), page: pageNumber, create: oneOf(['key']) }),
  component: lazyPage(() => import('./features/enrollment-keys/enrollment-key-list-page.tsx'), 'EnrollmentKeyListPage'),
})

const profileRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/profile',
  validateSearch: z.object({ tab: oneOf(['security', 'sessions']) }),
  component: lazyPage(() => import('./features/profile/profile-page.tsx'), 'ProfilePage'),
})

const companyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/company',
  component: lazyPage(() => import('./features/company/company-page.tsx'), 'CompanyPage'),
})

const peopleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/people',
  validateSearch: z.object({ search: text }),
  component: lazyPage(() => import('./features/people/people-page.tsx'), 'PeoplePage'),
})

const messagingRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/system/mail',
  validateSearch: z.object({
    tab: oneOf(['mail-server', 'text-messages']),
    status: oneOf(mailStatus.options),
    page: pageNumber,
  }),
  component: lazyPage(() => import('./features/messaging/messaging-page.tsx'), 'MessagingPage'),
})

const jobsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/system/jobs',
  component: lazyPage(() => import('./features/jobs/jobs-page.tsx'), 'JobsPage'),
})

const applianceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/system/appliance',
  component: lazyPage(() => import('./features/appliance/appliance-page.tsx'), 'AppliancePage'),
})

const routeTree = rootRoute.addChildren([
  loginRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  registerRoute,
  verifyEmailRoute,
  factorRoute,
  inactiveRoute,
  setupRoute,
  appRoute.addChildren([
    indexRoute,
    devicesRoute,
    deviceRoute,
    organizationsRoute,
    organizationRoute,
    enrollmentKeysRoute,
    profileRoute,
    companyRoute,
    peopleRoute,
    messagingRoute,
    jobsRoute,
    applianceRoute,
    nowhereRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: Starting,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
  // Plain text in the address: `?search=007` stays text and nothing needs quotes.
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
    /** Typed on one page around the sign-in and wanted on the next; addresses of people are not for the address bar. */
    email?: string
    /** The second step of a sign-in, so that "Back" leads to the first; what it needs is not kept over a reload. */
    isChallenge?: boolean
  }
}

staysWhereItIs(router, appRoute)

const setupNeeded = () => queryClient.ensureQueryData(setupNeededQuery)

onSession({
  ended: (reason) => {
    const next = router.state.location.href
    // Who signed out leaves nothing on a screen. Whoever else was sent away may have something to save.
    if (reason !== 'signed-out' && reason !== 'another-person' && hasUnsaved()) return setHold(reason)
    api.signOut()
    setHold(null)
    giveUpUnsaved()
    // A page loaded anew knows nothing of the person before.
    if (reason === 'another-person')
      return location.assign(router.buildLocation({ to: '/login', search: { next, reason } }).href)
    modals.closeAll()
    notifications.clean()
    queryClient.clear()
    void router.navigate({ to: '/login', search: { next, reason } })
  },
  begun: () => {
    const { pathname, search } = router.state.location
    if (isHeld()) {
      setHold(null)
      void queryClient.invalidateQueries()
    }
    // Its door leads on, to where this tab was about to go.
    if (pathname === '/login' && search.reason !== 'another-person') void router.invalidate()
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
