import { Button, Modal, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { vaultsQuery } from '../../data/backup-vaults.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { CopyForm } from './copy-form.tsx'
import { CopyTable } from './copy-table.tsx'

/** Where backups of a device have a second copy. */
export function DeviceSecondCopies({ device: { id, orgId } }: { device: { id: string; orgId: string } }) {
  const mayWrite = can(useMe(), 'organizations:write')
  const vaults = useQuery(vaultsQuery(orgId, id))
  const [edited, setEdited] = useState<string | null>(null)
  const close = () => setEdited(null)
  const vault = vaults.data?.find((one) => one.id === edited)
  return (
    <Panel
      title="Second copies"
      actions={
        mayWrite && (
          <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={() => setEdited('new')}>
            Add
          </Button>
        )
      }
    >
      <Loaded of={vaults} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              None. If the disk with the backups fails, a second copy is what is left.
            </Text>
          ) : (
            <CopyTable orgId={orgId} vaults={rows} onEdit={mayWrite ? setEdited : undefined} isOfDevice />
          )
        }
      </Loaded>
      <Modal
        opened={edited !== null}
        onClose={closeUnlessUnsaved(close)}
        title={vault ? vault.name : 'Add second copy'}
      >
        {edited !== null && <CopyForm key={edited} orgId={orgId} vault={vault} deviceId={id} onDone={close} />}
      </Modal>
    </Panel>
  )
}
