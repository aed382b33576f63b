import { Badge, Group } from '@mantine/core'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'

type Shown = Pick<SsoProvider, 'network' | 'enforceSSO' | 'trustsIdpMfa'>

/** What sets one identity provider apart from others. */
export function ProviderBadges({ network, enforceSSO, trustsIdpMfa }: Shown) {
  return (
    <Group gap={6}>
      {enforceSSO && (
        <Badge size="sm" variant="light" color="yellow">
          Passwords off
        </Badge>
      )}
      {trustsIdpMfa && (
        <Badge size="sm" variant="light" color="gray">
          Trusts its second factor
        </Badge>
      )}
      {network === 'private-allowlisted' && (
        <Badge size="sm" variant="light" color="gray">
          In your network
        </Badge>
      )}
    </Group>
  )
}
