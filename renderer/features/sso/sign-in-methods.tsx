import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { domainsQuery, presetsQuery } from '../../data/sso-providers.ts'
import { Copyable } from '../../ui/copyable.tsx'

/** Where users find the button: the sign-in page knows the provider only after the address is typed. */
export function SignInMethods({ provider: { orgId, partnerId } }: { provider: SsoProvider }) {
  const domains = useQuery({ ...domainsQuery(orgId ?? ''), enabled: orgId !== null }).data
  const callbackUrl = useQuery(presetsQuery).data?.callbackUrl
  if (!callbackUrl) return null
  const path = orgId ?? `partner/${partnerId}`
  return (
    <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">
        {orgId === null
          ? 'The sign-in page offers it to everyone, as long as this is the only company on the appliance.'
          : domains?.some(({ verified }) => verified)
            ? 'The sign-in page offers it to people with an email address at a verified domain.'
            : 'The sign-in page doesn’t offer it until a domain is verified.'}{' '}
        Direct sign-in link:
      </Text>
      <Copyable text={new URL(`/api/v1/sso/login/${path}`, callbackUrl).href} label="Copy sign-in link" />
    </Stack>
  )
}
