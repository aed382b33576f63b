import { queryOptions } from '@tanstack/react-query'
import {
  type LoginBranding,
  loginContext,
  readLoginBranding,
  replaceLoginBranding,
} from '../../shared/api/login-branding.ts'
import { api } from '../lib/api.ts'
import { pause } from '../lib/pause.ts'
import { queryClient } from '../lib/query-client.ts'

/** The sign-in page is not kept waiting for its decoration longer than this. */
const timeoutMs = 4000
const firstRenderLimitMs = 1000

/** The branding of the sign-in page and the identity provider of the appliance's partner. */
export const loginContextQuery = queryOptions({
  queryKey: ['appliance', 'login-context'],
  queryFn: ({ signal }) => api.call(loginContext, {}, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
  retry: false,
})

/** Waits a moment for the branding, so that a page before the sign-in does not change its look once drawn. */
export async function prefetchLoginContext(): Promise<void> {
  await Promise.race([queryClient.prefetchQuery(loginContextQuery), pause(firstRenderLimitMs)])
}

export const loginBrandingQuery = queryOptions({
  queryKey: ['partners', 'branding'],
  queryFn: async ({ signal }) => (await api.call(readLoginBranding, {}, signal)).data ?? defaultBranding,
})

export const defaultBranding: LoginBranding = { logoUrl: null, accentColor: null, headline: null }

export const saveLoginBranding = {
  mutationFn: async (branding: LoginBranding) => (await api.call(replaceLoginBranding, { body: branding })).data,
  onSuccess: (saved: LoginBranding) => {
    queryClient.setQueryData(loginBrandingQuery.queryKey, saved)
    queryClient.removeQueries(loginContextQuery)
  },
}
