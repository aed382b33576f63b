import { queryOptions, skipToken } from '@tanstack/react-query'
import { ssoDiscovery } from '../../shared/api/sso-sign-in.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import { emailAddress } from '../../shared/fields.ts'
import { api } from '../lib/api.ts'
import { ssoLoginUrl } from '../lib/sso-login-url.ts'

/** An identity provider to sign in through. */
export type IdentityProvider = NonNullable<ReplyOf<typeof ssoDiscovery>['sso']>

/** Null for a provider whose sign-in does not begin on this appliance. */
export const ownProvider = (provider: IdentityProvider | null | undefined): IdentityProvider | null =>
  provider && ssoLoginUrl(provider.loginUrl, {}) ? provider : null

/** The identity provider of an email address, null if it has none; skipped while the address is incomplete. */
export const identityProviderQuery = (typedEmail: string) => {
  const { data: email } = emailAddress.safeParse(typedEmail)
  return queryOptions({
    // The answer is the same for every address of a domain.
    queryKey: ['appliance', 'identity-provider', email?.slice(email.lastIndexOf('@') + 1)],
    queryFn: email
      ? async ({ signal }) => ownProvider((await api.call(ssoDiscovery, { body: { email } }, signal)).sso)
      : skipToken,
    // Optional for the sign-in: a failure offers nothing and shows no error.
    retry: false,
    staleTime: 300_000,
  })
}
