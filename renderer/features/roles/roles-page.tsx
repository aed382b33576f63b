import { Button, Modal } from '@mantine/core'
import { IconPlus, IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type Role, rolesQuery } from '../../data/roles.ts'
import { usePartnerIdOfPage } from '../../domain/roles/role-pages.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { pageOf } from '../../ui/data-table/page-of.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { CreateForm } from './create-form.tsx'
import { filterRoles, roleOwnerOptions } from './filter-roles.ts'
import { RoleTable } from './role-table.tsx'
import { useLiveRoles } from './use-live-roles.ts'
import { useRoleViewer } from './use-viewer.ts'

/** Rows per page. */
const limit = 50

export function RolesPage() {
  const { create } = useSearch({ strict: false })
  const navigate = useNavigate()
  const viewedPartnerId = usePartnerIdOfPage()
  const { partnerName } = useRoleViewer()
  const mayWrite = can(useMe(), 'users:write')
  const roles = useQuery(rolesQuery(viewedPartnerId))
  useLiveRoles()
  const setCreate = (next: 'role' | undefined) => navigate({ to: '.', search: (old) => ({ ...old, create: next }) })
  const createButton = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreate('role')}>
      New role
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Roles"
        before={
          viewedPartnerId && (
            <TextLink to="/companies/$partnerId" params={{ partnerId: viewedPartnerId }} size="sm">
              {partnerName ?? 'The company'}
            </TextLink>
          )
        }
        about="Roles define permissions. People have one role per company or organization."
        actions={createButton}
      />
      <Listed
        of={roles}
        empty={
          <EmptyList icon={<IconShieldLock stroke={1.5} />} title="No roles" action={createButton}>
            A role defines what people can do.
          </EmptyList>
        }
      >
        {(all) => <FilteredRoles roles={all} />}
      </Listed>
      <Modal
        opened={create === 'role' && mayWrite}
        onClose={closeUnlessUnsaved(() => setCreate(undefined))}
        title="New role"
      >
        <CreateForm />
      </Modal>
    </>
  )
}

function FilteredRoles({ roles }: { roles: readonly Role[] }) {
  const { search, of, page = 1 } = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = (next: { search?: string | undefined; of?: string | undefined }) =>
    navigate({ to: '.', search: (old) => ({ ...old, ...next, page: undefined }), replace: true })
  const found = filterRoles(roles, { search, of })
  const { rows, pagination } = pageOf(found, page, limit)
  return (
    <>
      <FilterBar label="Search roles">
        <SearchBox label="Search by name" value={search} onSearch={(text) => change({ search: text })} />
        <OwnerSelect roles={roles} value={of} onChange={(next) => change({ of: next })} />
      </FilterBar>
      {found.length === 0 ? (
        <NoMatch what="roles" onClear={() => change({ search: undefined, of: undefined })} />
      ) : (
        <>
          <RoleTable roles={rows} />
          <Pager
            {...pagination}
            what="role"
            onPage={(page) => navigate({ to: '.', search: (old) => ({ ...old, page }) })}
          />
        </>
      )}
    </>
  )
}

interface OwnerProps {
  roles: readonly Role[]
  value: string | undefined
  onChange: (of: string | undefined) => void
}

function OwnerSelect({ roles, value, onChange }: OwnerProps) {
  const { scope, partnerName } = useRoleViewer()
  const own = scope === 'partner' ? [{ value: 'company', label: partnerName ?? 'The company' }] : []
  return (
    <FilterSelect
      label="Roles to show"
      all="All roles"
      searchable
      limit={50}
      clearButtonProps={{ 'aria-label': 'Show all roles' }}
      data={[{ value: 'built-in', label: 'Built in' }, ...own, ...roleOwnerOptions(roles)]}
      value={value}
      onChange={onChange}
    />
  )
}
