import { Button, Table, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { MembershipLogEntry } from '../../../shared/api/device-groups.ts'
import { membershipHistoryQuery } from '../../data/device-groups.ts'
import { DeviceLink } from '../../domain/devices/device-link.tsx'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { Listed } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { membershipActionNames, membershipReasonText } from './group-labels.ts'

const limit = 50
const retentionText = 'Changes are kept for 90 days; a very busy group keeps only the latest.'

/** When devices joined and left, and why. */
export function MembershipHistory({ groupId }: { groupId: string }) {
  const { page = 1 } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const history = useQuery(membershipHistoryQuery(groupId, { limit, page }))
  const show = (next?: number) => navigate({ search: (old) => ({ ...old, page: next }) })
  return (
    <Listed
      of={history}
      lines={3}
      empty={
        page > 1 ? (
          <EmptyList
            icon={<IconHistory stroke={1.5} />}
            title="No changes that far back"
            action={
              <Button variant="default" onClick={() => show()}>
                Show the latest
              </Button>
            }
          >
            {retentionText}
          </EmptyList>
        ) : (
          <EmptyList icon={<IconHistory stroke={1.5} />} title="No changes yet">
            Devices that are added or removed are listed here.
          </EmptyList>
        )
      }
    >
      {({ data, total }) => (
        <div>
          <TableFrame label="History of the group" isStale={history.isPlaceholderData}>
            <Changes entries={data} />
          </TableFrame>
          <Pager page={page} limit={limit} total={total} what="change" onPage={show} />
          <Text size="xs" c="dimmed" mt="xs">
            {retentionText}
          </Text>
        </div>
      )}
    </Listed>
  )
}

function Changes({ entries }: { entries: readonly MembershipLogEntry[] }) {
  const body = useRowKeys<HTMLTableSectionElement>()
  return (
    <Table miw={{ sm: 560 }}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Device</Table.Th>
          <Table.Th>Change</Table.Th>
          <Table.Th>Why</Table.Th>
          <Table.Th>When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody {...body}>
        {entries.map((entry) => (
          <Table.Tr key={entry.id}>
            <Table.Td>
              <DeviceLink device={entry} />
            </Table.Td>
            <Table.Td data-label="Change">{membershipActionNames[entry.action]}</Table.Td>
            <Table.Td data-label="Why" style={{ overflowWrap: 'anywhere' }}>
              {membershipReasonText(entry)}
            </Table.Td>
            <Table.Td data-label="When">
              <RelativeTime at={entry.createdAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
