import { Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { archivedOrganizationsQuery } from '../../data/organizations.ts'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { OrganizationCells, OrganizationHeads } from './organization-cells.tsx'

/** Archived organizations, the latest first. */
export function ArchivedOrganizations({ search }: { search: string | undefined }) {
  const archived = useQuery(archivedOrganizationsQuery(search))
  const navigate = useNavigate()
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Archived
      </Title>
      <Listed
        of={archived}
        lines={2}
        empty={search ? 'No archived organization has this in its name.' : 'No organization is archived.'}
      >
        {({ data }) => (
          <TableFrame label="Archived organizations" isStale={archived.isPlaceholderData}>
            <Table tabularNums miw={{ sm: 640 }}>
              <Table.Thead>
                <Table.Tr>
                  <OrganizationHeads />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((row) => (
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
      </Listed>
      {archived.data?.archivedTruncated && (
        <Text size="sm" c="dimmed">
          These are the latest {archived.data.data.length}. Search by name to find an older one.
        </Text>
      )}
    </Stack>
  )
}
