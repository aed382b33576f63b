import { createRoute, redirect } from '@tanstack/react-router'
import { z } from 'zod'
import { enrollUrl } from '../../shared/api/auth.ts'
import { prefetchLoginContext } from '../data/login-branding.ts'
import { partnerStatusQuery } from '../data/partner-status.ts'
import { isReplacedSession, signInReasonNames } from '../features/authentication/sign-in/sign-in-reasons.ts'
import { signInNotice } from '../features/authentication/sso/sso-error-messages.ts'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { api } from '../lib/api.ts'
import { notifyStillSignedIn } from '../lib/notify.ts'
import { queryClient } from '../lib/query-client.ts'
import { safeNext } from '../lib/safe-next.ts'
import { meQuery, publicConfigQuery } from '../lib/session.ts'
import { rootRoute, setupNeeded } from './frame.tsx'
import { oneOf, text } from './search.ts'

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: z.object({ next: text, reason: oneOf(signInReasonNames), error: text }),
  beforeLoad: async ({ search }) => {
    // A signed-in user is not replaced silently.
    if (!isReplacedSession(search.reason) && (await api.restore().catch(() => false))) {
      if (search.error) notifyStillSignedIn(signInNotice(search.error))
      throw redirect({ href: safeNext(search.next) ?? '/' })
    }
    if (await setupNeeded()) throw redirect({ to: '/setup' })
    await Promise.all([queryClient.prefetchQuery(publicConfigQuery), prefetchLoginContext()])
  },
  component: lazyPage(() => import('../features/authentication/sign-in/login-page.tsx'), 'LoginPage'),
})

const forgotPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot-password',
  beforeLoad: prefetchLoginContext,
  component: lazyPage(
    () => import('../features/authentication/passwords/forgot-password-page.tsx'),
    'ForgotPasswordPage',
  ),
})

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  validateSearch: z.object({ token: text }),
  beforeLoad: prefetchLoginContext,
  component: lazyPage(
    () => import('../features/authentication/passwords/reset-password-page.tsx'),
    'ResetPasswordPage',
  ),
})

const unlockAccountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unlock-account',
  validateSearch: z.object({ token: text }),
  beforeLoad: prefetchLoginContext,
  component: lazyPage(
    () => import('../features/authentication/passwords/unlock-account-page.tsx'),
    'UnlockAccountPage',
  ),
})

const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register-partner',
  beforeLoad: async () => {
    const { registration } = await queryClient.ensureQueryData(publicConfigQuery)
    if (!registration.enabled || !registration.shown)
      throw redirect({ to: '/login', search: { reason: 'registration-disabled' } })
    await prefetchLoginContext()
  },
  component: lazyPage(() => import('../features/authentication/registration/register-page.tsx'), 'RegisterPage'),
})

const acceptInviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/accept-invite',
  validateSearch: z.object({ token: text }),
  beforeLoad: prefetchLoginContext,
  component: lazyPage(() => import('../features/authentication/invitation/accept-invite-page.tsx'), 'AcceptInvitePage'),
})

const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/verify-email',
  validateSearch: z.object({ token: text }),
  beforeLoad: prefetchLoginContext,
  component: lazyPage(() => import('../features/authentication/registration/verify-email-page.tsx'), 'VerifyEmailPage'),
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
  component: lazyPage(
    () => import('../features/authentication/enroll-factor/enroll-factor-page.tsx'),
    'EnrollFactorPage',
  ),
})

const inactiveRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account/inactive',
  beforeLoad: async () => {
    if (!(await api.restore())) throw redirect({ to: '/login' })
    const notice = await queryClient.fetchQuery({ ...partnerStatusQuery, staleTime: 0 })
    if (notice.status === 'active') throw redirect({ to: '/' })
  },
  component: lazyPage(
    () => import('../features/authentication/inactive/partner-inactive-page.tsx'),
    'PartnerInactivePage',
  ),
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
  component: lazyPage(() => import('./pages/setup-page.tsx'), 'SetupPage'),
})

/** Pages that need no session, or not a complete one. */
export const authenticationRoutes = [
  loginRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  unlockAccountRoute,
  registerRoute,
  verifyEmailRoute,
  acceptInviteRoute,
  factorRoute,
  inactiveRoute,
  setupRoute,
] as const
