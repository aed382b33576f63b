import { Button, Modal, Stack, Switch } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { organizationsQuery } from '../../data/organizations.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { ArchivedOrganizations } from './archived-organizations.tsx'
import { CreateForm } from './create-form.tsx'
import { OrganizationTable } from './organization-table.tsx'

const limit = 50

/** `deletedOrganizations` is shown below the archived ones. */
export function OrganizationListPage({ deletedOrganizations }: { deletedOrganizations: ReactNode }) {
  const me = useMe()
  const { search, page = 1, archived, create } = useSearch({ from: '/app/organizations' })
  const navigate = useNavigate({ from: '/organizations' })
  const organizations = useQuery(organizationsQuery({ search, page, limit }))
  const setSearch = (text: string | undefined) =>
    navigate({ search: (old) => ({ ...old, search: text, page: undefined }), replace: true })
  const setCreate = (next: 'organization' | undefined) => navigate({ search: (old) => ({ ...old, create: next }) })
  const setArchived = (isShown: boolean) =>
    navigate({ search: (old) => ({ ...old, archived: isShown ? '1' : undefined }), replace: true })
  const mayWrite = can(me, 'organizations:write')
  const createButton = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreate('organization')}>
      New organization
    </Button>
  )
  const total = organizations.data?.pagination.total ?? 0
  const importLink = mayWrite && total > 0 && (
    <ButtonLink variant="subtle" color="gray" to="/contacts/import">
      Import contacts
    </ButtonLink>
  )
  const actions = (
    <>
      {importLink}
      {createButton}
    </>
  )
  return (
    <>
      <PageHeader title="Organizations" actions={actions} />
      <FilterBar label="Search organizations">
        <SearchBox label="Search by name" value={search} onSearch={setSearch} />
        <Switch
          label="Show archived"
          checked={archived === '1'}
          onChange={(event) => setArchived(event.currentTarget.checked)}
        />
      </FilterBar>
      <PagedList
        of={organizations}
        what="organization"
        onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
        empty={
          search || page > 1 ? (
            <NoMatch what="organizations" onClear={() => setSearch(undefined)} />
          ) : (
            <EmptyList icon={<IconBuilding stroke={1.5} />} title="No organizations yet" action={createButton}>
              A customer, a subsidiary or your own company: every device belongs to one.
            </EmptyList>
          )
        }
      >
        {(rows, isStale) => (
          <OrganizationTable rows={rows} pagePosition={search ? undefined : { page, limit, total }} isStale={isStale} />
        )}
      </PagedList>
      {archived === '1' && (
        <Stack mt="xl" gap="xl">
          <ArchivedOrganizations search={search} />
          {deletedOrganizations}
        </Stack>
      )}
      <Modal opened={create === 'organization'} onClose={() => setCreate(undefined)} title="New organization">
        <CreateForm
          onDone={({ id }) =>
            navigate({ to: '/organizations/$orgId', params: { orgId: id }, search: {}, ignoreBlocker: true })
          }
        />
      </Modal>
    </>
  )
}
