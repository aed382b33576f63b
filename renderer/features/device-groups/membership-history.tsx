import { Button, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { MembershipLogEntry } from '../../../shared/api/device-groups.ts'
import { membershipHistoryQuery } from '../../data/device-groups.ts'
import { DeviceLink } from '../../domain/devices/device-link.tsx'
import type { Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { membershipActionNames, membershipReasonText } from './group-labels.ts'

const limit = 50
const retentionText = 'Changes are kept for 90 days; very busy groups keep only the latest.'

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
            title="No changes going back that far"
            action={
              <Button variant="default" onClick={() => show()}>
                Show latest
              </Button>
            }
          >
            {retentionText}
          </EmptyList>
        ) : (
          <EmptyList icon={<IconHistory stroke={1.5} />} title="No changes yet">
            Devices that are added or removed appear here.
          </EmptyList>
        )
      }
    >
      {({ data, total }) => (
        <div>
          <DataTable
            label="Group history"
            rows={data}
            rowKey={({ id }) => id}
            columns={columns}
            minWidth={560}
            isStale={history.isPlaceholderData}
          />
          <Pager page={page} limit={limit} total={total} what="change" onPage={show} />
          <Text size="xs" c="dimmed" mt="xs">
            {retentionText}
          </Text>
        </div>
      )}
    </Listed>
  )
}

const columns: Column<MembershipLogEntry>[] = [
  { id: 'device', title: 'Device', cell: (entry) => <DeviceLink device={entry} /> },
  { id: 'change', title: 'Change', cell: ({ action }) => membershipActionNames[action] },
  { id: 'reason', title: 'Reason', wrap: 'anywhere', cell: membershipReasonText },
  { id: 'when', title: 'When', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]
