import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { providersQuery } from '../../data/sso-providers.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { providerStatusNames } from './provider-labels.ts'
import { providerPage } from './sso-owner.ts'

/** For platform administrators, whom users turn to if their identity provider is down. */
export function PartnerSsoPanel({ partnerId }: { partnerId: string }) {
  const providers = useQuery(providersQuery({ partnerId }))
  return (
    <Panel title="Single sign-on">
      <Listed of={providers} lines={1} empty="People of the company sign in with passwords.">
        {(all) => (
          <>
            <Facts>
              {all.map(({ id, name, status, enforceSSO }) => (
                <Fact
                  key={id}
                  name={
                    <TextLink {...providerPage({ partnerId }, id)} size="sm">
                      {name}
                    </TextLink>
                  }
                >
                  <StatusDot tone={providerStatusNames[status].tone}>{providerStatusNames[status].word}</StatusDot>
                  {enforceSSO && status === 'active' && ', passwords are off'}
                </Fact>
              ))}
            </Facts>
            <Text size="xs" c="dimmed" mt="xs">
              If one of them is unavailable, you can turn passwords back on from its page.
            </Text>
          </>
        )}
      </Listed>
    </Panel>
  )
}
