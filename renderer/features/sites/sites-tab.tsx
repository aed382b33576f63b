import { Button, Group, Modal } from '@mantine/core'
import { IconMapPin, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { sitesPageQuery } from '../../data/sites.ts'
import { DeviceCountLink } from '../../domain/devices/device-count-link.tsx'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { SiteForm } from '../../domain/sites/site-form.tsx'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { type SiteRow, useDeleteSite } from './use-delete-site.tsx'

const limit = 50

export function SitesTab({ organization }: { organization: Organization }) {
  const { id: orgId } = organization
  const mayWrite = can(useMe(), 'sites:write') && !isFrozen(organization)
  const { edit, item, page = 1 } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const sites = useQuery({ ...sitesPageQuery(orgId, page, limit), placeholderData: keepPreviousData })
  const edited = sites.data?.data.find(({ id }) => id === item)
  const openForm = (id?: string) => navigate({ search: (old) => ({ ...old, edit: 'site' as const, item: id }) })
  const close = () => navigate({ search: (old) => ({ ...old, edit: undefined, item: undefined }) })
  const toPage = (next?: number) => navigate({ search: (old) => ({ ...old, page: next }) })
  const createButton = mayWrite && (
    <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => openForm()}>
      New site
    </Button>
  )
  return (
    <>
      <PagedList
        of={sites}
        empty={<NoSites isBehindLast={page > 1} action={createButton} onBack={() => toPage()} />}
        what="site"
        onPage={toPage}
      >
        {(rows, isStale) => (
          <>
            <Group justify="flex-end" mb="sm">
              {createButton}
            </Group>
            <SitesTable sites={rows} isStale={isStale} onEdit={mayWrite ? openForm : undefined} />
          </>
        )}
      </PagedList>
      <Modal opened={edit === 'site' && !item && mayWrite} onClose={closeUnlessUnsaved(close)} title="New site">
        <SiteForm orgId={orgId} onDone={close} />
      </Modal>
      <Modal
        opened={edit === 'site' && Boolean(edited) && mayWrite}
        onClose={closeUnlessUnsaved(close)}
        title="Edit site"
      >
        {edited && <SiteForm orgId={orgId} site={edited} onDone={close} />}
      </Modal>
    </>
  )
}

interface NoSitesProps {
  isBehindLast: boolean
  action: ReactNode
  onBack: () => void
}

function NoSites({ isBehindLast, action, onBack }: NoSitesProps) {
  if (isBehindLast) return <NoMatch what="sites" onClear={onBack} />
  return (
    <EmptyList icon={<IconMapPin stroke={1.5} />} title="No sites yet" action={action}>
      Every device belongs to a site, so create one before adding devices.
    </EmptyList>
  )
}

interface TableProps {
  sites: SiteRow[]
  isStale: boolean
  onEdit: ((id: string) => void) | undefined
}

function SitesTable({ sites, isStale, onEdit }: TableProps) {
  const menu = onEdit && menuColumn((site: SiteRow) => <SiteMenu site={site} onEdit={() => onEdit(site.id)} />)
  return (
    <DataTable
      label="Sites"
      rows={sites}
      rowKey={({ id }) => id}
      columns={menu ? [...columns, menu] : columns}
      minWidth={520}
      isStale={isStale}
    />
  )
}

const columns: Column<SiteRow>[] = [
  { id: 'name', title: 'Name', look: 'strong', cell: ({ name }) => name },
  { id: 'time-zone', title: 'Time zone', cell: ({ timezone }) => timezone.replaceAll('_', ' ') },
  {
    id: 'devices',
    title: 'Devices',
    align: 'right',
    cell: ({ id, name, deviceCount }) => (
      <DeviceCountLink devices={deviceCount} where={`at ${name}`} filter={{ site: id }} />
    ),
  },
]

function SiteMenu({ site, onEdit }: { site: SiteRow; onEdit: () => void }) {
  const remove = useDeleteSite(site)
  return (
    <RowMenu
      name={site.name}
      isBusy={remove.isPending}
      actions={[
        { label: 'Edit…', Icon: IconPencil, onClick: onEdit },
        { label: 'Delete…', Icon: IconTrash, isDestructive: true, onClick: remove.ask },
      ]}
    />
  )
}
