import { ActionIcon, Menu } from '@mantine/core'
import { modals } from '@mantine/modals'
import {
  IconArchive,
  IconDots,
  IconMapPin,
  IconPencil,
  IconPower,
  IconRestore,
  IconTool,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { useDeviceCommands } from '../../domain/commands/use-device-commands.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { openMaintenance, takesMaintenance } from './maintenance/device-maintenance.tsx'
import { MoveDialog } from './move/move-dialog.tsx'
import { RenameForm } from './rename-form.tsx'
import { useRetirement } from './use-retirement.ts'

/** What is done with a device less often. */
export function DeviceMenu({ device }: { device: DeviceDetail }) {
  const me = useMe()
  const [isMoving, setMoving] = useState(false)
  const { askToDecommission, askToRestore, askToDelete } = useRetirement(device)
  const { mayNotRun, shutDown } = useDeviceCommands(device)
  const mayWrite = can(me, 'devices:write')
  const mayMove = mayWrite && can(me, 'sites:read')
  const rename = () =>
    modals.open({
      modalId: 'rename',
      title: `Rename ${deviceName(device)}`,
      children: <RenameForm device={device} onDone={() => modals.close('rename')} />,
    })
  const move = () => setMoving(true)
  const maintain = () => openMaintenance(device)
  useOfferActions([
    ...(mayWrite ? [{ label: 'Change display name', alias: 'Rename', Icon: IconPencil, run: rename }] : []),
    ...(mayMove ? [{ label: 'Move…', alias: 'Site Organization', Icon: IconMapPin, run: move }] : []),
    ...(mayWrite && takesMaintenance(device) ? [{ label: 'Maintenance…', Icon: IconTool, run: maintain }] : []),
  ])
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} disabled={!mayWrite} onClick={rename}>
            Change display name
          </Menu.Item>
          {can(me, 'sites:read') && (
            <Menu.Item leftSection={<IconMapPin size={16} />} disabled={!mayWrite} onClick={move}>
              Move…
            </Menu.Item>
          )}
          {takesMaintenance(device) && (
            <Menu.Item leftSection={<IconTool size={16} />} disabled={!mayWrite} onClick={maintain}>
              Maintenance…
            </Menu.Item>
          )}
          {mayNotRun === null && (
            <Menu.Item leftSection={<IconPower size={16} />} onClick={shutDown}>
              Shut down…
            </Menu.Item>
          )}
          {device.status === 'decommissioned' ? (
            <>
              <Menu.Item leftSection={<IconRestore size={16} />} disabled={!mayWrite} onClick={askToRestore}>
                Restore…
              </Menu.Item>
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={16} />}
                disabled={!can(me, 'devices:delete')}
                onClick={askToDelete}
              >
                Delete permanently…
              </Menu.Item>
            </>
          ) : (
            <Menu.Item
              color="red"
              leftSection={<IconArchive size={16} />}
              disabled={!can(me, 'devices:delete')}
              onClick={askToDecommission}
            >
              Decommission…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isMoving && <MoveDialog devices={[device]} onClose={() => setMoving(false)} />}
    </>
  )
}
