import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { storagesQuery } from '../../data/backup-storages.ts'
import { deviceQuery } from '../../data/devices.ts'
import { DeviceFilter } from '../../domain/devices/device-filter.tsx'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { useOnlyDevice } from '../../domain/devices/use-only-device.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { FileSearch, SearchNeedsDevice } from './file-search.tsx'
import { SnapshotList } from './snapshot-list.tsx'
import { VersionsDialog } from './versions-dialog.tsx'

/** The way to a lost file: by its name, or by a snapshot from before it was lost. */
export function RestoreFilesPage() {
  const { device } = useSearch({ from: '/app/backup/files' })
  return (
    <>
      <PageHeader
        title="Restore files"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Choose the device the files were on. Then find a file by its name, or open a snapshot and look around."
      />
      {device === undefined ? (
        <OfOrganization what="Snapshots">{(orgId) => <OfAll key={orgId} orgId={orgId} />}</OfOrganization>
      ) : (
        <OfDevice id={device} />
      )}
    </>
  )
}

/** Links to this page name a device, which says what organization it is about. */
function OfDevice({ id }: { id: string }) {
  const device = useQuery(deviceQuery(id))
  return (
    <Loaded of={device} lines={4}>
      {(found) => <Files key={found.orgId} orgId={found.orgId} device={{ id, name: deviceName(found) }} />}
    </Loaded>
  )
}

/** Its device, where it has only one: there is nothing to choose. */
function OfAll({ orgId }: { orgId: string }) {
  const only = useOnlyDevice(orgId)
  return <Files orgId={orgId} {...(only && { device: { id: only.id, name: deviceName(only) } })} />
}

interface Props {
  orgId: string
  device?: { id: string; name: string }
}

function Files({ orgId, device }: Props) {
  const { device: chosen, storage, versions } = useSearch({ from: '/app/backup/files' })
  const navigate = useNavigate({ from: '/backup/files' })
  const storages = useQuery(storagesQuery(orgId)).data ?? []
  const filter = (change: { device?: string | undefined; storage?: string | undefined }) =>
    navigate({ search: (old) => ({ ...old, page: undefined, versions: undefined, ...change }), replace: true })
  const isFiltered = chosen !== undefined || storage !== undefined
  const clear = () => filter({ device: undefined, storage: undefined })
  const list = (
    <SnapshotList orgId={orgId} deviceId={device?.id} configId={storage} onClear={isFiltered ? clear : undefined} />
  )
  return (
    <>
      <FilterBar label="Choose a device" onClear={isFiltered ? clear : undefined}>
        <DeviceFilter orgId={orgId} value={device?.id} onChange={(next) => filter({ device: next })} />
        {storages.length > 1 && (
          <FilterSelect
            label="Storage"
            data={storages.map(({ id, name }) => ({ value: id, label: name }))}
            value={storage}
            onChange={(next) => filter({ storage: next })}
          />
        )}
      </FilterBar>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        {device ? (
          <FileSearch key={device.id} device={device} configId={storage} hasStorages={storages.length > 1} />
        ) : (
          <SearchNeedsDevice />
        )}
        {list}
      </SimpleGrid>
      {device && versions !== undefined && (
        <VersionsDialog
          key={versions}
          deviceId={device.id}
          configId={storage}
          path={versions}
          onClose={() => navigate({ search: ({ versions: _, ...old }) => old, resetScroll: false, replace: true })}
        />
      )}
    </>
  )
}
