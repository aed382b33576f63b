import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ListedSsoProvider } from '../../../shared/api/sso-providers.ts'
import { presetsQuery, type SsoOwner } from '../../data/sso-providers.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { TextLink } from '../../ui/links.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { presetOptionOf } from './presets.ts'
import { isSpecial, ProviderBadges } from './provider-badges.tsx'
import { providerStatusNames } from './provider-labels.ts'
import { providerPage } from './sso-owner.ts'

interface Props {
  providers: readonly ListedSsoProvider[]
  owner: SsoOwner
}

export function ProviderTable({ providers, owner }: Props) {
  const presets = useQuery(presetsQuery).data?.data ?? []
  const navigate = useNavigate()
  const columns: Column<ListedSsoProvider>[] = [
    { id: 'name', title: 'Name', cell: (provider) => <Name provider={provider} owner={owner} /> },
    { id: 'kind', title: 'Type', cell: (provider) => presetOptionOf(provider, presets).guide.name },
    { id: 'state', title: 'Status', cell: ({ status }) => <Status {...providerStatusNames[status]} /> },
    {
      id: 'remarks',
      title: 'Notes',
      cell: (provider) => isSpecial(provider) && <ProviderBadges {...provider} />,
    },
  ]
  return (
    <DataTable
      label="Identity providers"
      rows={providers}
      rowKey={({ id }) => id}
      columns={columns}
      minWidth={640}
      onOpen={({ id }) => navigate(providerPage(owner, id))}
    />
  )
}

function Name({ provider: { id, name, issuer }, owner }: { provider: ListedSsoProvider; owner: SsoOwner }) {
  return (
    <Stack gap={0} miw={0} align="flex-start">
      <TextLink {...providerPage(owner, id)} data-main size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </TextLink>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {issuer}
      </Text>
    </Stack>
  )
}

function Status({ word, tone }: { word: string; tone: Tone }) {
  return <StatusDot tone={tone}>{word}</StatusDot>
}
