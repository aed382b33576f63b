import { Button, Group, Modal, Stack } from '@mantine/core'
import { IconDatabase, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { storeUsageQuery } from '../../data/backup-quotas.ts'
import { addStorage, storagesQuery } from '../../data/backup-storages.ts'
import { applianceStore } from '../../domain/backup-storage/appliance-store.ts'
import { kindOf } from '../../domain/backup-storage/storage-kinds.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useShownOrganizationId } from '../../domain/organizations/selected-organization.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { MaintenancePanel } from './maintenance-panel.tsx'
import { QuotaForm } from './quota-form.tsx'
import { StorageForm } from './storage-form.tsx'
import { StorageTable } from './storage-table.tsx'
import { StoreUsage } from './store-usage.tsx'

export function StoragePage() {
  const me = useMe()
  const hasOrganization = useShownOrganizationId() !== undefined
  const mayWrite = hasOrganization && can(me, 'backup:write') && !me.isConfined
  const navigate = useNavigate({ from: '/backup/storage' })
  const add = () => navigate({ search: (old) => ({ ...old, edit: 'new' }) })
  useOfferActions(mayWrite ? [{ label: 'Add storage', alias: 'New', Icon: IconPlus, run: add }] : [])
  return (
    <>
      <PageHeader
        title="Storage"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Where backups go. Devices encrypt everything before it leaves them."
        actions={
          mayWrite && (
            <Button variant="default" leftSection={<IconPlus size={16} />} onClick={add}>
              Add storage
            </Button>
          )
        }
      />
      <OfOrganization what="Storages">
        {(orgId) => <Storages key={orgId} orgId={orgId} mayWrite={mayWrite} />}
      </OfOrganization>
    </>
  )
}

function Storages({ orgId, mayWrite }: { orgId: string; mayWrite: boolean }) {
  const { edit } = useSearch({ from: '/app/backup/storage' })
  const me = useMe()
  // An organization does not raise its own.
  const maySetQuota = me.scope !== 'organization' && can(me, 'organizations:write')
  const navigate = useNavigate({ from: '/backup/storage' })
  const storages = useQuery(storagesQuery(orgId))
  const usage = useQuery({ ...storeUsageQuery(orgId), enabled: edit === 'quota' && maySetQuota })
  const isAsked = edit === 'quota' && maySetQuota && usage.data !== undefined
  const open = (id: string) => navigate({ search: (old) => ({ ...old, edit: id }) })
  const close = () => navigate({ search: (old) => ({ ...old, edit: undefined }), replace: true })
  const edited = storages.data?.find(({ id }) => id === edit)
  const isOpen = mayWrite && (edit === 'new' || edited !== undefined)
  return (
    <>
      <Listed of={storages} empty={<NoStorage orgId={orgId} mayWrite={mayWrite} />}>
        {(rows) => (
          <Stack gap="md">
            <StorageTable storages={rows} onEdit={mayWrite ? open : undefined} />
            {!me.isConfined && rows.some((one) => kindOf(one) === 'appliance') && (
              <StoreUsage orgId={orgId} onChangeQuota={maySetQuota ? () => open('quota') : undefined} />
            )}
            <MaintenancePanel orgId={orgId} mayWrite={mayWrite} />
          </Stack>
        )}
      </Listed>
      <Modal opened={isAsked} onClose={closeUnlessUnsaved(close)} title="Change the quota">
        {isAsked && <QuotaForm orgId={orgId} usage={usage.data} onDone={close} />}
      </Modal>
      <Modal opened={isOpen} onClose={closeUnlessUnsaved(close)} title={edited ? edited.name : 'Add storage'}>
        {isOpen && (
          <StorageForm key={edit} orgId={orgId} storage={edited} others={storages.data ?? []} onDone={close} />
        )}
      </Modal>
    </>
  )
}

function NoStorage({ orgId, mayWrite }: { orgId: string; mayWrite: boolean }) {
  const { isConfined } = useMe()
  const navigate = useNavigate({ from: '/backup/storage' })
  const add = useMutation({
    ...addStorage(orgId),
    onSuccess: async () => {
      notifyDone('The appliance is the default storage now')
      await addStorage(orgId).onSuccess()
    },
    onError: notifyFailed('The storage wasn’t added'),
  })
  if (isConfined)
    return (
      <EmptyList icon={<IconDatabase stroke={1.5} />} title="Nothing to see here">
        Storage belongs to the whole organization, and you have access to a part of it.
      </EmptyList>
    )
  return (
    <EmptyList
      icon={<IconDatabase stroke={1.5} />}
      title="No storage yet"
      action={
        mayWrite && (
          <Group gap="sm" justify="center">
            <Button loading={add.isPending} onClick={() => add.mutate(applianceStore(true))}>
              Use this appliance
            </Button>
            <Button variant="default" onClick={() => navigate({ search: (old) => ({ ...old, edit: 'new' }) })}>
              Other storage
            </Button>
          </Group>
        )
      }
    >
      The simplest place for backups is the appliance itself: nothing to set up, and devices can’t delete old backups.
    </EmptyList>
  )
}
