import { Badge, Button, Group, Modal, Table } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { listOrganizations } from '../../../shared/api/organizations.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { count } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Failed, Lines, NoMatch, Nothing } from '../../ui/states.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'
import { useRowKeys } from '../../ui/use-row-keys.ts'
import { organizationsQuery } from './data.ts'
import { OrganizationForm } from './organization-form.tsx'

type Row = ReplyOf<typeof listOrganizations>['data'][number]
const limit = 50

export function OrganizationListPage() {
  const me = useMe()
  const { search, page = 1, create } = useSearch({ from: '/app/organizations' })
  const navigate = useNavigate({ from: '/organizations' })
  const { data, error, refetch, isPlaceholderData } = useQuery(organizationsQuery({ search, page, limit }))
  const setSearch = (text: string | undefined) =>
    navigate({ search: (old) => ({ ...old, search: text, page: undefined }), replace: true })
  const setCreate = (next: 'organization' | undefined) => navigate({ search: (old) => ({ ...old, create: next }) })
  const createButton = can(me, 'organizations:write') && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreate('organization')}>
      New organization
    </Button>
  )
  return (
    <>
      <PageHeader title="Organizations" actions={createButton} />
      <Group mb="md" role="search" aria-label="Search the organizations">
        <SearchBox label="Search by name" value={search} onSearch={setSearch} />
      </Group>
      {error && !data ? (
        <Failed error={error} onRetry={refetch} />
      ) : !data ? (
        <Lines />
      ) : data.data.length > 0 ? (
        <>
          <TableFrame label="Organizations" isStale={isPlaceholderData}>
            <OrganizationTable rows={data.data} />
          </TableFrame>
          <Pager
            page={page}
            limit={limit}
            total={data.pagination.total}
            what="organization"
            onPage={(next) => navigate({ search: (old) => ({ ...old, page: next > 1 ? next : undefined }) })}
          />
        </>
      ) : search || page > 1 ? (
        <NoMatch what="organizations" onClear={() => setSearch(undefined)} />
      ) : (
        <Nothing icon={<IconBuilding stroke={1.5} />} title="No organizations yet" action={createButton}>
          An organization is a customer, a subsidiary, or your own company. Devices belong to one.
        </Nothing>
      )}
      <Modal opened={create === 'organization'} onClose={() => setCreate(undefined)} title="New organization">
        <OrganizationForm
          onDone={({ id }) =>
            navigate({ to: '/organizations/$orgId', params: { orgId: id }, search: {}, ignoreBlocker: true })
          }
        />
      </Modal>
    </>
  )
}

function OrganizationTable({ rows }: { rows: Row[] }) {
  const body = useRowKeys<HTMLTableSectionElement>()
  const navigate = useNavigate()
  return (
    <Table tabularNums miw={{ sm: 520 }}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Short name</Table.Th>
          <Table.Th ta="right">Devices</Table.Th>
          <Table.Th>Created</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={body}>
        {rows.map((row) => (
          <Table.Tr
            key={row.id}
            data-clickable
            onClick={() => navigate({ to: '/organizations/$orgId', params: { orgId: row.id } })}
          >
            <Table.Td>
              <Group gap="xs">
                <TextLink
                  to="/organizations/$orgId"
                  params={{ orgId: row.id }}
                  onClick={(event) => event.stopPropagation()}
                  data-main
                  fw={600}
                  size="sm"
                  c="inherit"
                >
                  {row.name}
                </TextLink>
                {row.status !== 'active' && (
                  <Badge variant="default" size="sm">
                    {row.status}
                  </Badge>
                )}
              </Group>
            </Table.Td>
            <Table.Td data-label="Short name" c="dimmed">
              {row.slug}
            </Table.Td>
            <Table.Td data-label="Devices" ta={{ sm: 'right' }}>
              {count(row.deviceCount)}
            </Table.Td>
            <Table.Td data-label="Created">
              <RelativeTime at={row.createdAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
