import { useDebouncedCallback } from '@mantine/hooks'
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ssoDiscovery } from '../../../../shared/api/sso-sign-in.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import { emailAddress } from '../../../../shared/fields.ts'
import { loginContextQuery } from '../../../data/login-branding.ts'
import { beginningOf } from '../../../domain/sso/sso-login-url.ts'
import { api } from '../../../lib/api.ts'
import { queryClient } from '../../../lib/query-client.ts'

/** An identity provider to sign in through. */
export type Way = NonNullable<ReplyOf<typeof ssoDiscovery>['sso']>

/** How long a person who types an address pauses when it is complete. */
const pauseMs = 600

// The answer is the same for everybody of a domain.
const discoveryQuery = (typed: string) => {
  const { data: email } = emailAddress.safeParse(typed)
  return queryOptions({
    queryKey: ['appliance', 'identity-provider', email?.slice(email.lastIndexOf('@') + 1)],
    queryFn: email
      ? async ({ signal }) => usable((await api.call(ssoDiscovery, { body: { email } }, signal)).sso)
      : skipToken,
    // A courtesy: refused or failed, nothing is offered, and nobody is told.
    retry: false,
    staleTime: 300_000,
  })
}

/** What the appliance says of an address that is not its own is not offered. */
const usable = (way: Way | null | undefined): Way | null => (way && beginningOf(way.loginUrl, {}) ? way : null)

/**
 * Through which identity providers somebody may sign in: that of the company, and, once an address is typed, that of
 * the organization whose domain it is in.
 */
export function useWays(knownEmail: string) {
  const [email, setEmail] = useState(knownEmail)
  const later = useDebouncedCallback(setEmail, pauseMs)
  const found = useQuery(discoveryQuery(email)).data ?? null
  const company = usable(useQuery(loginContextQuery).data?.partnerSso)
  return {
    found,
    company: company?.loginUrl === found?.loginUrl ? null : company,
    /** While it is being typed. */
    hear: later,
    /** The address is complete: resolves when it is known what it leads to. */
    ask: async (typed: string) => {
      later.cancel()
      setEmail(typed)
      const query = discoveryQuery(typed)
      if (query.queryFn !== skipToken) await queryClient.prefetchQuery(query)
    },
  }
}
