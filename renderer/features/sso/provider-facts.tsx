import { Alert, Stack, Text } from '@mantine/core'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { providerStatusNames } from './provider-labels.ts'

/** For users who may only read. */
export function ProviderFacts({ provider }: { provider: SsoProvider }) {
  const { status, issuer, clientId, allowedDomains, orgId, autoProvision, trustsIdpMfa, enforceSSO } = provider
  return (
    <Stack maw={720}>
      <Alert variant="light" p="sm">
        Read-only. To make changes you need the permission to change organizations or to manage single sign-on.
      </Alert>
      <Panel title="Identity provider">
        <Text size="sm" mb="xs">
          {providerStatusNames[status].meaning}
        </Text>
        <Facts>
          <Fact name="Issuer">{issuer}</Fact>
          <Fact name="Client ID">{clientId}</Fact>
          <Fact name="Allowed domains">{allowedDomains ?? 'All'}</Fact>
          {orgId && <Fact name="Creates accounts">{autoProvision ? 'At first sign-in' : 'No'}</Fact>}
          <Fact name="Second factor">{trustsIdpMfa ? 'Trusted' : 'Not trusted'}</Fact>
          <Fact name="Passwords">{enforceSSO && status === 'active' ? 'Off' : 'On'}</Fact>
        </Facts>
      </Panel>
    </Stack>
  )
}
