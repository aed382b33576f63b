import { Text } from '@mantine/core'
import type { AuditChainView } from '../../../shared/api/audit-log.ts'
import { count, dateOnly, exactTime } from '../../lib/format.ts'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ChainState } from './chain-state.tsx'
import { faultTexts } from './fault-labels.ts'
import { usePartnerName } from './use-partner-name.ts'

export function ChainTable({ chains, isStale }: { chains: readonly AuditChainView[]; isStale: boolean }) {
  return (
    <DataTable
      label="Chains of events"
      rows={chains}
      rowKey={({ partnerId, orgId }) => `${partnerId} ${orgId}`}
      columns={columns}
      minWidth={640}
      isStale={isStale}
    />
  )
}

const columns: Column<AuditChainView>[] = [
  { id: 'owner', title: 'Events of', cell: (chain) => <Owner chain={chain} /> },
  { id: 'state', title: 'Status', cell: (chain) => <State chain={chain} /> },
  { id: 'events', title: 'Events', cell: ({ events }) => count(events) },
  {
    id: 'checked',
    title: 'Checked',
    cell: ({ checkedAt }) => <RelativeTime at={checkedAt} never="Never" />,
  },
]

function Owner({ chain: { orgId, orgName, partnerId } }: { chain: AuditChainView }) {
  const partner = usePartnerName(partnerId)
  return orgId ? (orgName ?? 'A deleted organization') : partner
}

function State({ chain }: { chain: AuditChainView }) {
  const { fault, unsealedUntil } = chain
  return (
    <>
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
      {unsealedUntil && <SecondLine>Sealed since {dateOnly(unsealedUntil)} </SecondLine>}
    </>
  )
}
