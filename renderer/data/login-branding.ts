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

/** Longer than this nobody waits for decoration. */
const patienceMs = 4000
const firstLookMs = 1000

/** How the sign-in page of this appliance looks, and through which identity provider its company signs in. */
export const loginContextQuery = queryOptions({
  queryKey: ['appliance', 'login-context'],
  queryFn: ({ signal }) => api.call(loginContext, {}, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])),
  retry: false,
})

/** A page of the door is drawn as it will stay, unless that takes too long to find out. */
export async function signInLookKnown(): Promise<void> {
  const longEnough = pause(firstLookMs)
  await Promise.race([queryClient.prefetchQuery(loginContextQuery), longEnough])
}

export const brandingQuery = queryOptions({
  queryKey: ['company', 'branding'],
  queryFn: async ({ signal }) => (await api.call(readLoginBranding, {}, signal)).data ?? plain,
})

export const plain: LoginBranding = { logoUrl: null, accentColor: null, headline: null }

export const saveBranding = {
  mutationFn: async (branding: LoginBranding) => (await api.call(replaceLoginBranding, { body: branding })).data,
  onSuccess: (saved: LoginBranding) => {
    queryClient.setQueryData(brandingQuery.queryKey, saved)
    queryClient.removeQueries(loginContextQuery)
  },
}
