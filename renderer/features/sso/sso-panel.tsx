import { Group, Stack, Text } from '@mantine/core'
import { IconLogin2, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { providersQuery, type SsoOwner } from '../../data/sso-providers.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { DomainsPanel } from './domains-panel.tsx'
import { mayChangeProviders } from './may-change-providers.ts'
import { ProviderTable } from './provider-table.tsx'
import { newProviderPage } from './sso-owner.ts'

interface Props {
  owner: SsoOwner
  /** Nothing in the organization can be changed at the moment. */
  isFrozen?: boolean
}

/** Identity providers and domains of an organization, or the providers of the partner. */
export function SsoPanel({ owner, isFrozen = false }: Props) {
  const me = useMe()
  const providers = useQuery(providersQuery(owner))
  const isEditable = mayChangeProviders(me, owner) && !isFrozen
  // Platform administrators cannot add providers to a partner.
  const addButton = isEditable && owner.partnerId === undefined && (
    <ButtonLink {...newProviderPage(owner)} variant="default" leftSection={<IconPlus size={16} />}>
      Add an identity provider
    </ButtonLink>
  )
  return (
    <Stack gap="lg">
      <Listed of={providers} lines={3} empty={<None owner={owner} action={addButton} />}>
        {(all) => (
          <Stack gap="sm">
            <Group justify="space-between" gap="sm">
              <Text size="sm" c="dimmed" flex="1 1 300px">
                {forWhom(owner)}
              </Text>
              {addButton}
            </Group>
            <ProviderTable providers={all} owner={owner} />
          </Stack>
        )}
      </Listed>
      {owner.orgId && (
        <div style={{ maxWidth: 860 }}>
          <DomainsPanel orgId={owner.orgId} isEditable={isEditable} />
        </div>
      )}
    </Stack>
  )
}

const forWhom = ({ orgId }: SsoOwner): string =>
  orgId
    ? 'The people of this organization sign in with these. If several are on, the oldest is offered.'
    : 'The people of the company itself sign in with these, not those of its organizations. If several are on, the oldest is offered.'

function None({ owner: { orgId }, action }: { owner: SsoOwner; action: ReactNode }) {
  return (
    <EmptyList icon={<IconLogin2 stroke={1.5} />} title="No identity provider yet" action={action}>
      People sign in with the account they already have at {orgId ? 'their organization' : 'your company'}, for example
      with Microsoft Entra ID, Okta, Google or Keycloak.
    </EmptyList>
  )
}
