import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ListedSsoProvider } from '../../../shared/api/sso-providers.ts'
import { presetsQuery, type SsoOwner } from '../../data/sso-providers.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { TextLink } from '../../ui/links.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { presetOptionOf } from './presets.ts'
import { isSpecial, ProviderBadges } from './provider-badges.tsx'
import { providerStatusNames } from './provider-labels.ts'
import { providerPage } from './sso-owner.ts'

interface Props {
  providers: readonly ListedSsoProvider[]
  owner: SsoOwner
}

export function ProviderTable({ providers, owner }: Props) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const navigate = useNavigate()
  return (
    <TableFrame label="Identity providers">
      <Table miw={{ sm: 640 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Kind</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Good to know</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody {...body}>
          {providers.map((provider) => (
            <Table.Tr key={provider.id} data-clickable onClick={() => navigate(providerPage(owner, provider.id))}>
              <Cells provider={provider} owner={owner} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function Cells({ provider, owner }: { provider: ListedSsoProvider; owner: SsoOwner }) {
  const presets = useQuery(presetsQuery).data?.data ?? []
  const { word, tone } = providerStatusNames[provider.status]
  return (
    <>
      <Table.Td>
        <Stack gap={0} miw={0} align="flex-start">
          <TextLink {...providerPage(owner, provider.id)} size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {provider.name}
          </TextLink>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {provider.issuer}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td data-label="Kind">{presetOptionOf(provider, presets).guide.name}</Table.Td>
      <Table.Td data-label="State">
        <StatusDot tone={tone}>{word}</StatusDot>
      </Table.Td>
      <Table.Td data-label="Good to know">{isSpecial(provider) && <ProviderBadges {...provider} />}</Table.Td>
    </>
  )
}
