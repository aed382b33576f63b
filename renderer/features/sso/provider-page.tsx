import { Grid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { type ProviderWarnings, presetsQuery, providerQuery } from '../../data/sso-providers.ts'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { ApiError } from '../../lib/api-error.ts'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { EditForm } from './edit-form.tsx'
import { mayChangeProviders } from './may-change-providers.ts'
import { PasswordsPanel } from './passwords-panel.tsx'
import { presetOptionOf } from './presets.ts'
import { isSpecial, ProviderBadges } from './provider-badges.tsx'
import { ProviderFacts } from './provider-facts.tsx'
import { providerStatusNames } from './provider-labels.ts'
import { ProviderStatusPanel } from './provider-status-panel.tsx'
import { ProvidersLink } from './providers-link.tsx'
import { RemovePanel } from './remove-panel.tsx'
import { SavedWarnings } from './saved-warnings.tsx'
import { useSsoOwner } from './sso-owner.ts'
import { TestPanel } from './test-panel.tsx'

export function ProviderPage() {
  const { providerId = '' } = useParams({ strict: false })
  const provider = useQuery(providerQuery(providerId))
  const { error } = provider
  if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return <NotFound />
  return <Loaded of={provider}>{(shown) => <Details key={shown.id} provider={shown} />}</Loaded>
}

function Details({ provider }: { provider: SsoProvider }) {
  const isEditable = useIsEditable()
  const owner = useSsoOwner()
  const { word, tone } = providerStatusNames[provider.status]
  return (
    <>
      <PageHeader
        title={provider.name}
        before={<ProvidersLink owner={owner} />}
        beside={<StatusDot tone={tone}>{word}</StatusDot>}
        about={isSpecial(provider) && <ProviderBadges {...provider} />}
      />
      {isEditable ? <Editor provider={provider} /> : <ProviderFacts provider={provider} />}
    </>
  )
}

function useIsEditable(): boolean {
  const me = useMe()
  const owner = useSsoOwner()
  const isOthers = owner.orgId !== undefined && me.scope !== 'organization'
  const organization = useQuery({ ...organizationQuery(owner.orgId ?? ''), enabled: isOthers }).data
  return mayChangeProviders(me, owner) && !(organization && isFrozen(organization))
}

/** Its status comes first. */
function Editor({ provider }: { provider: SsoProvider }) {
  const presets = useQuery(presetsQuery)
  const [warnings, setWarnings] = useState<ProviderWarnings>([])
  const isOpenId = provider.type === 'oidc'
  return (
    <>
      <SavedWarnings provider={provider} warnings={warnings} />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack>
            <ProviderStatusPanel provider={provider} />
            {isOpenId && <TestPanel key={provider.issuer} provider={provider} onWarnings={setWarnings} />}
            {isOpenId && <PasswordsPanel provider={provider} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack>
            <Loaded of={presets}>
              {({ data, callbackUrl }) => (
                <EditForm
                  provider={provider}
                  choice={presetOptionOf(provider, data)}
                  callbackUrl={callbackUrl}
                  onWarnings={setWarnings}
                />
              )}
            </Loaded>
            <RemovePanel provider={provider} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
