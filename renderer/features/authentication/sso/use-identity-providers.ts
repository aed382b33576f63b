import { useDebouncedCallback } from '@mantine/hooks'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { loginContextQuery } from '../../../data/login-branding.ts'
import { identityProviderQuery, ownProvider } from '../../../data/sso-sign-in.ts'
import { queryClient } from '../../../lib/query-client.ts'

/** How long typing pauses before the address counts as complete. */
const typingPauseMs = 600

/**
 * The identity providers a user may sign in through: that of the partner, and, once an address is typed, that of the
 * organization that owns its domain.
 */
export function useIdentityProviders(knownEmail: string) {
  const [email, setEmail] = useState(knownEmail)
  const setEmailLater = useDebouncedCallback(setEmail, typingPauseMs)
  const forEmail = useQuery(identityProviderQuery(email)).data ?? null
  const ofPartner = ownProvider(useQuery(loginContextQuery).data?.partnerSso)
  return {
    forEmail,
    ofPartner: ofPartner?.loginUrl === forEmail?.loginUrl ? null : ofPartner,
    onEmailTyped: setEmailLater,
    /** Resolves once the provider of a complete address is known. */
    lookUp: async (typedEmail: string) => {
      setEmailLater.cancel()
      setEmail(typedEmail)
      const query = identityProviderQuery(typedEmail)
      if (query.queryFn !== skipToken) await queryClient.prefetchQuery(query)
    },
  }
}
