import { Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Failed, Lines } from '../../ui/states.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { archivedOrganizationsQuery } from './data.ts'
import { OrganizationCells, OrganizationHeads } from './organization-cells.tsx'

/** What was put away, the latest first. */
export function ArchivedOrganizations({ search }: { search: string | undefined }) {
  const { data, error, refetch, isPlaceholderData } = useQuery(archivedOrganizationsQuery(search))
  const navigate = useNavigate()
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Archived
      </Title>
      {error && !data ? (
        <Failed error={error} onRetry={refetch} />
      ) : !data ? (
        <Lines count={2} />
      ) : data.data.length === 0 ? (
        <Text size="sm" c="dimmed">
          {search ? 'No archived organization has this in its name.' : 'No organization is archived.'}
        </Text>
      ) : (
        <TableFrame label="Archived organizations" isStale={isPlaceholderData}>
          <Table tabularNums miw={{ sm: 640 }}>
            <Table.Thead>
              <Table.Tr>
                <OrganizationHeads />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map((row) => (
                <Table.Tr
                  key={row.id}
                  data-clickable
                  onClick={() => navigate({ to: '/organizations/$orgId', params: { orgId: row.id } })}
                >
                  <OrganizationCells row={row} />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </TableFrame>
      )}
      {data?.archivedTruncated && (
        <Text size="sm" c="dimmed">
          These are the latest {data.data.length}. Search by name to find an older one.
        </Text>
      )}
    </Stack>
  )
}
