import { Table, Text } from '@mantine/core'
import type { AuditChainView } from '../../../shared/api/audit-log.ts'
import { count, dateOnly, exactTime } from '../../lib/format.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { ChainState } from './chain-state.tsx'
import { faultTexts } from './fault-labels.ts'
import { usePartnerName } from './use-partner-name.ts'

export function ChainTable({ chains, isStale }: { chains: readonly AuditChainView[]; isStale: boolean }) {
  return (
    <TableFrame label="Chains of events" isStale={isStale}>
      <Table tabularNums miw={{ sm: 640 }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Events of</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Events</Table.Th>
            <Table.Th>Checked</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {chains.map((chain) => (
            <Table.Tr key={`${chain.partnerId} ${chain.orgId}`}>
              <Cells chain={chain} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableFrame>
  )
}

function Cells({ chain }: { chain: AuditChainView }) {
  const { orgId, orgName, partnerId, events, checkedAt, fault, unsealedUntil } = chain
  const partner = usePartnerName(partnerId)
  return (
    <>
      <Table.Td>{orgId ? (orgName ?? 'A deleted organization') : partner}</Table.Td>
      <Table.Td data-label="State">
        <ChainState chain={chain} />
        {fault && (
          <Text size="sm">
            {faultTexts[fault.kind]}{' '}
            {fault.eventId && (
              <TextLink
                from="/audit"
                to="/audit"
                search={({ org }) => ({ org, event: fault.eventId ?? undefined })}
                inherit
                td="underline"
              >
                {fault.at ? exactTime(fault.at) : 'Show where'}
              </TextLink>
            )}
          </Text>
        )}
        {unsealedUntil && (
          <Text size="xs" c="dimmed">
            Sealed only from {dateOnly(unsealedUntil)} on
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="Events">{count(events)}</Table.Td>
      <Table.Td data-label="Checked">
        <RelativeTime at={checkedAt} never="Not yet" />
      </Table.Td>
    </>
  )
}
