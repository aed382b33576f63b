import { Button, Modal } from '@mantine/core'
import { IconCopy, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { vaultsQuery } from '../../data/backup-vaults.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useShownOrganizationId } from '../../domain/organizations/selected-organization.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { CopyForm } from './copy-form.tsx'
import { CopyTable } from './copy-table.tsx'

export function SecondCopiesPage() {
  const me = useMe()
  const mayWrite = useShownOrganizationId() !== undefined && can(me, 'organizations:write')
  const navigate = useNavigate({ from: '/backup/second-copies' })
  const add = () => navigate({ search: { edit: 'new' } })
  useOfferActions(mayWrite ? [{ label: 'Add second copy', alias: 'New vault', Icon: IconPlus, run: add }] : [])
  return (
    <>
      <PageHeader
        title="Second copies"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Backups in a second place: on a disk that you take away, on a share, or in the cloud."
        actions={
          mayWrite && (
            <Button leftSection={<IconPlus size={16} />} onClick={add}>
              Add second copy
            </Button>
          )
        }
      />
      <OfOrganization what="Second copies">
        {(orgId) => <Copies key={orgId} orgId={orgId} mayWrite={mayWrite} />}
      </OfOrganization>
    </>
  )
}

function Copies({ orgId, mayWrite }: { orgId: string; mayWrite: boolean }) {
  const { edit } = useSearch({ from: '/app/backup/second-copies' })
  const navigate = useNavigate({ from: '/backup/second-copies' })
  const vaults = useQuery(vaultsQuery(orgId))
  const open = (id: string) => navigate({ search: { edit: id } })
  const close = () => navigate({ search: {}, replace: true })
  const edited = vaults.data?.find(({ id }) => id === edit)
  const isOpen = mayWrite && (edit === 'new' || edited !== undefined)
  return (
    <>
      <Listed
        of={vaults}
        empty={
          <EmptyList
            icon={<IconCopy stroke={1.5} />}
            title="No second copies yet"
            action={mayWrite && <Button onClick={() => open('new')}>Add second copy</Button>}
          >
            If the disk with the backups fails, a second copy is what is left. A disk that is unplugged most of the time
            is also safe from ransomware.
          </EmptyList>
        }
      >
        {(rows) => <CopyTable orgId={orgId} vaults={rows} onEdit={mayWrite ? open : undefined} />}
      </Listed>
      <Modal opened={isOpen} onClose={closeUnlessUnsaved(close)} title={edited ? edited.name : 'Add second copy'}>
        {isOpen && <CopyForm key={edit} orgId={orgId} vault={edited} onDone={close} />}
      </Modal>
    </>
  )
}
