import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { lazyPage } from '../features/shell/lazy-page.tsx'
import { appRoute } from './frame.tsx'
import { text } from './search.ts'

const newPage = {
  getParentRoute: () => appRoute,
  /** The preset of the new provider; undefined to choose one first. */
  validateSearch: z.object({ preset: text }),
  component: lazyPage(() => import('../features/sso/new-provider-page.tsx'), 'NewProviderPage'),
}
const providerPage = {
  getParentRoute: () => appRoute,
  component: lazyPage(() => import('../features/sso/provider-page.tsx'), 'ProviderPage'),
}

const signOnRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings/single-sign-on',
  component: lazyPage(() => import('../features/sso/sso-page.tsx'), 'SsoPage'),
})

/** Identity providers of the user's partner, of an organization, and, for platform administrators, of any partner. */
export const ssoRoutes = [
  signOnRoute,
  createRoute({ ...newPage, path: '/settings/sign-in/identity-providers/new' }),
  createRoute({ ...providerPage, path: '/settings/sign-in/identity-providers/$providerId' }),
  createRoute({ ...newPage, path: '/organizations/$orgId/identity-providers/new' }),
  createRoute({ ...providerPage, path: '/organizations/$orgId/identity-providers/$providerId' }),
  createRoute({ ...providerPage, path: '/companies/$partnerId/identity-providers/$providerId' }),
] as const
