import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Sso } from '../sso/index.ts'
import { LoginBranding } from './login-branding.ts'
import { brandingRoutes } from './routes.ts'

/** How the sign-in page of a company looks. */
export function createLoginBranding(services: Services, { ofPartner }: Pick<Sso, 'ofPartner'>): Module<LoginBranding> {
  const branding = new LoginBranding({ ...services, isHosted: services.config.isHosted, ssoOf: ofPartner })
  return { api: branding, routes: (http) => brandingRoutes(http, branding, services.limits) }
}
