import { Badge, Group } from '@mantine/core'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'

type Shown = Pick<SsoProvider, 'network' | 'enforceSSO' | 'trustsIdpMfa'>

export const isSpecial = ({ network, enforceSSO, trustsIdpMfa }: Shown): boolean =>
  enforceSSO || trustsIdpMfa || network === 'private-allowlisted'

/** Badges for unusual settings of a provider. */
export function ProviderBadges({ network, enforceSSO, trustsIdpMfa }: Shown) {
  return (
    <Group gap={6}>
      {enforceSSO && (
        <Badge size="sm" variant="light">
          Passwords off
        </Badge>
      )}
      {trustsIdpMfa && (
        <Badge size="sm" variant="light" color="gray">
          Trusts second factor
        </Badge>
      )}
      {network === 'private-allowlisted' && (
        <Badge size="sm" variant="light" color="gray">
          Private network
        </Badge>
      )}
    </Group>
  )
}
