import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { archivedOrganizationsQuery } from '../../data/organizations.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { organizationColumns } from './organization-columns.tsx'

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
        empty={search ? 'No archived organizations match.' : 'No archived organizations.'}
      >
        {({ data }) => (
          <DataTable
            label="Archived organizations"
            rows={data}
            rowKey={({ id }) => id}
            columns={organizationColumns}
            minWidth={640}
            isStale={archived.isPlaceholderData}
            columnChoice="organizations"
            onOpen={({ id }) => navigate({ to: '/organizations/$orgId', params: { orgId: id } })}
          />
        )}
      </Listed>
      {archived.data?.archivedTruncated && (
        <Text size="sm" c="dimmed">
          Showing the most recent {archived.data.data.length}. Search by name to find older ones.
        </Text>
      )}
    </Stack>
  )
}
