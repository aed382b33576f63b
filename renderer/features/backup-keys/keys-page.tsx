import { Button, Modal, Stack, Text } from '@mantine/core'
import { IconKey, IconPlus, IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { EncryptionKey } from '../../../shared/api/backup-keys.ts'
import { encryptionKeysQuery, keyRotationQuery } from '../../data/encryption-keys.ts'
import { unprintedKeys } from '../../domain/backup-keys/unprinted-keys.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useShownOrganizationId } from '../../domain/organizations/selected-organization.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { KeyForm } from './key-form.tsx'
import { KeyTable } from './key-table.tsx'
import { RotationPanel } from './rotation-panel.tsx'
import { SheetDialog } from './sheet-dialog.tsx'

export function KeysPage() {
  const me = useMe()
  const hasOrganization = useShownOrganizationId() !== undefined
  const mayWrite = hasOrganization && can(me, 'organizations:write') && !me.isConfined
  const navigate = useNavigate({ from: '/backup/keys' })
  const show = (open: 'new' | 'sheet') => navigate({ search: (old) => ({ ...old, open }) })
  return (
    <>
      <PageHeader
        title="Keys"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="What opens backups. Every device has a password of its own, which follows from the key of the organization."
        actions={
          mayWrite && (
            <>
              <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => show('new')}>
                New key
              </Button>
              <Button leftSection={<IconPrinter size={16} />} onClick={() => show('sheet')}>
                Recovery sheet
              </Button>
            </>
          )
        }
      />
      <OfOrganization what="Keys">{(orgId) => <Keys key={orgId} orgId={orgId} mayWrite={mayWrite} />}</OfOrganization>
    </>
  )
}

function Keys({ orgId, mayWrite }: { orgId: string; mayWrite: boolean }) {
  const { open } = useSearch({ from: '/app/backup/keys' })
  const navigate = useNavigate({ from: '/backup/keys' })
  const { isConfined } = useMe()
  const keys = useQuery(encryptionKeysQuery(orgId))
  const rotation = useQuery(keyRotationQuery(orgId))
  const close = () => navigate({ search: (old) => ({ ...old, open: undefined }), replace: true })
  const shown = open !== undefined && mayWrite ? open : null
  return (
    <>
      <Listed of={keys} empty={<NoKeys isConfined={isConfined} />}>
        {(rows) => (
          <Stack gap="md">
            <Unprinted
              keys={rows}
              mayWrite={mayWrite}
              onOpen={() => navigate({ search: (old) => ({ ...old, open: 'sheet' }) })}
            />
            {rotation.data && rotation.data.changing > 0 && <RotationPanel {...rotation.data} />}
            <KeyTable orgId={orgId} keys={rows} mayWrite={mayWrite} />
          </Stack>
        )}
      </Listed>
      <Modal opened={shown === 'new'} onClose={closeUnlessUnsaved(close)} title="New key">
        {shown === 'new' && <KeyForm orgId={orgId} onDone={close} />}
      </Modal>
      <Modal opened={shown === 'sheet'} onClose={close} title="Recovery sheet" size="lg">
        {shown === 'sheet' && <SheetDialog orgId={orgId} onDone={close} />}
      </Modal>
    </>
  )
}

function Unprinted({
  keys,
  mayWrite,
  onOpen,
}: {
  keys: readonly EncryptionKey[]
  mayWrite: boolean
  onOpen: () => void
}) {
  if (unprintedKeys(keys).length === 0) return null
  return (
    <Notice tone="warn" title="The recovery sheet isn’t locked away yet">
      <Text size="sm" mb={mayWrite ? 'xs' : 0}>
        If this appliance is lost, its backups can only be opened with the recovery sheet. Print it, and keep it away
        from the appliance.
      </Text>
      {mayWrite && (
        <Button size="compact-sm" variant="default" onClick={onOpen}>
          Print the recovery sheet
        </Button>
      )}
    </Notice>
  )
}

function NoKeys({ isConfined }: { isConfined: boolean }) {
  if (isConfined)
    return (
      <EmptyList icon={<IconKey stroke={1.5} />} title="Nothing to see here">
        Keys belong to the whole organization, and you have access to a part of it.
      </EmptyList>
    )
  return (
    <EmptyList icon={<IconKey stroke={1.5} />} title="No keys yet">
      The first backup of a device makes one.
    </EmptyList>
  )
}
