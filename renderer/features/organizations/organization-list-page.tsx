import { Button, Group, Modal, Stack, Switch } from '@mantine/core'
import { IconBuilding, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { organizationsQuery } from '../../data/organizations.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager } from '../../ui/pager.tsx'
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
  const importLink = mayWrite && (organizations.data?.pagination.total ?? 0) > 0 && (
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
      <Group mb="md" role="search" aria-label="Search the organizations">
        <SearchBox label="Search by name" value={search} onSearch={setSearch} />
        <Switch
          label="Show archived"
          checked={archived === '1'}
          onChange={(event) => setArchived(event.currentTarget.checked)}
        />
      </Group>
      <Listed
        of={organizations}
        empty={
          search || page > 1 ? (
            <NoMatch what="organizations" onClear={() => setSearch(undefined)} />
          ) : (
            <EmptyList icon={<IconBuilding stroke={1.5} />} title="No organizations yet" action={createButton}>
              An organization is a customer, a subsidiary, or your own company. Devices belong to one.
            </EmptyList>
          )
        }
      >
        {({ data, pagination }) => (
          <>
            <OrganizationTable
              rows={data}
              pagePosition={search ? undefined : { page, limit, total: pagination.total }}
              isStale={organizations.isPlaceholderData}
            />
            <Pager
              {...pagination}
              what="organization"
              onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
            />
          </>
        )}
      </Listed>
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
