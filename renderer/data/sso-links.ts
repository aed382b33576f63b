import { queryOptions } from '@tanstack/react-query'
import {
  deleteSsoIdentity,
  listSsoIdentities,
  listSsoLinkOptions,
  type SsoIdentity,
  startSsoLink,
} from '../../shared/api/sso-links.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { UserFacingError } from '../lib/user-facing-error.ts'

/** An identity provider that the user's account is linked with, or could be. */
export interface SsoLink {
  providerId: string
  providerName: string
  identity: SsoIdentity | null
}

export const ssoLinksQuery = queryOptions({
  queryKey: ['me', 'connections'],
  queryFn: async ({ signal }): Promise<SsoLink[]> => {
    const [{ data: identities }, { data: options }] = await Promise.all([
      api.call(listSsoIdentities, {}, signal),
      api.call(listSsoLinkOptions, {}, signal),
    ])
    const connected = identities.map((identity) => ({ ...identity, identity }))
    // Linking works with OpenID Connect providers only.
    const open = options.filter(({ type, linked }) => type === 'oidc' && !linked)
    return [...connected, ...open.map(({ id, name }) => ({ providerId: id, providerName: name, identity: null }))]
  },
})

/** Leaves the page for the identity provider, which returns to the profile. */
export const connectSsoIdentity = {
  mutationFn: async (providerId: string) => {
    const { authUrl } = await api.call(startSsoLink, { params: { providerId } })
    if (new URL(authUrl).protocol !== 'https:')
      throw new UserFacingError('The provider’s address is not a web address.')
    location.assign(authUrl)
  },
}

export const disconnectSsoIdentity = {
  mutationFn: (identityId: string) => api.call(deleteSsoIdentity, { params: { id: identityId } }),
  onSettled: () => queryClient.invalidateQueries({ queryKey: ssoLinksQuery.queryKey }),
}
