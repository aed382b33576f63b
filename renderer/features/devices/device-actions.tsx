import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import { modals } from '@mantine/modals'
import {
  IconArchive,
  IconDots,
  IconMapPin,
  IconPencil,
  IconPower,
  IconRefresh,
  IconRestore,
  IconTerminal2,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { decommissionDeviceMutation, deleteDevice, restoreDeviceMutation } from '../../data/devices.ts'
import { useDeviceCommands } from '../../domain/commands/use-device-commands.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import classes from './device-actions.module.css'
import { MoveDialog } from './move/move-dialog.tsx'
import { RenameForm } from './rename-form.tsx'

const buttonClasses = { root: classes.button, section: classes.wide }

/** Actions on a device; unavailable ones show the reason. */
export function DeviceActions({ device }: { device: DeviceDetail }) {
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const { mayNotRun, mayNotScript, refresh, reboot, pending } = useDeviceCommands(device)
  const openScript = () => navigate({ search: (old) => ({ ...old, panel: 'script' }) })
  useOfferActions([
    ...(mayNotScript ? [] : [{ label: 'Run script', alias: 'Command', Icon: IconTerminal2, run: openScript }]),
    ...(mayNotRun ? [] : [{ label: 'Refresh inventory', Icon: IconRefresh, run: refresh }]),
    ...(mayNotRun ? [] : [{ label: 'Reboot', alias: 'Restart', Icon: IconPower, run: reboot }]),
  ])
  return (
    <>
      <Explained reason={mayNotRun}>
        <Button
          variant="default"
          classNames={buttonClasses}
          leftSection={<IconRefresh size={16} />}
          data-disabled={mayNotRun !== null || undefined}
          aria-disabled={mayNotRun !== null}
          loading={pending === 'refresh_inventory'}
          onClick={mayNotRun ? undefined : refresh}
        >
          <span>
            Refresh<span className={classes.wide}> inventory</span>
          </span>
        </Button>
      </Explained>
      <Explained reason={mayNotScript}>
        <Button
          variant="default"
          classNames={buttonClasses}
          leftSection={<IconTerminal2 size={16} />}
          data-disabled={mayNotScript !== null || undefined}
          aria-disabled={mayNotScript !== null}
          onClick={mayNotScript ? undefined : openScript}
        >
          Run script
        </Button>
      </Explained>
      <Explained reason={mayNotRun}>
        <Button
          variant="default"
          classNames={buttonClasses}
          leftSection={<IconPower size={16} />}
          data-disabled={mayNotRun !== null || undefined}
          aria-disabled={mayNotRun !== null}
          loading={pending === 'reboot'}
          onClick={mayNotRun ? undefined : reboot}
        >
          Reboot
        </Button>
      </Explained>
      <MoreMenu device={device} />
    </>
  )
}

/** Keeps an unavailable button focusable, so that mouse and keyboard users can read the reason. */
function Explained({ reason, children }: { reason: string | null; children: ReactNode }) {
  return (
    <Tooltip label={reason} disabled={!reason}>
      {children}
    </Tooltip>
  )
}

function MoreMenu({ device }: { device: DeviceDetail }) {
  const me = useMe()
  const navigate = useNavigate()
  const name = deviceName(device)
  const decommission = useMutation(decommissionDeviceMutation(device.id))
  const restore = useMutation(restoreDeviceMutation(device.id))
  const remove = useMutation(deleteDevice(device.id))
  const isDecommissioned = device.status === 'decommissioned'
  const [isMoving, setMoving] = useState(false)

  const mayMove = can(me, 'devices:write') && can(me, 'sites:read')
  const rename = () =>
    modals.open({
      modalId: 'rename',
      title: `Rename ${name}`,
      children: <RenameForm device={device} onDone={() => modals.close('rename')} />,
    })
  const move = () => setMoving(true)
  const confirmDecommission = async () => {
    const isDone = await askToConfirm({
      title: `Decommission ${name}?`,
      consequences: `The agent on ${name} loses access immediately, and waiting commands are canceled. The record stays, and the device can be restored.`,
      confirm: `Decommission ${name}`,
      run: () => decommission.mutateAsync(),
      failed: `${name} wasn’t decommissioned`,
    })
    if (isDone) notifyDone(`${name} was decommissioned`)
  }
  const confirmDelete = async () => {
    const isDeleted = await askToConfirm({
      title: `Delete ${name} permanently?`,
      consequences: `Everything recorded about ${name} is erased: inventory, metrics and command history. This can’t be undone.`,
      confirm: `Delete ${name} permanently`,
      run: () => remove.mutateAsync(),
      failed: `${name} wasn’t deleted`,
    })
    if (!isDeleted) return
    notifyDone(`${name} was deleted`)
    void navigate({ to: '/devices' })
  }
  const restoreDevice = () =>
    restore.mutate(undefined, {
      onSuccess: () => notifyDone(`${name} was restored. It comes online when its agent reports.`),
      onError: notifyFailed(`${name} wasn’t restored`),
    })
  useOfferActions([
    ...(can(me, 'devices:write')
      ? [{ label: 'Change display name', alias: 'Rename', Icon: IconPencil, run: rename }]
      : []),
    ...(mayMove ? [{ label: 'Move…', alias: 'Site Organization', Icon: IconMapPin, run: move }] : []),
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
          <Menu.Item leftSection={<IconPencil size={16} />} disabled={!can(me, 'devices:write')} onClick={rename}>
            Change display name
          </Menu.Item>
          {can(me, 'sites:read') && (
            <Menu.Item leftSection={<IconMapPin size={16} />} disabled={!can(me, 'devices:write')} onClick={move}>
              Move…
            </Menu.Item>
          )}
          {isDecommissioned && (
            <Menu.Item
              leftSection={<IconRestore size={16} />}
              disabled={!can(me, 'devices:write')}
              onClick={restoreDevice}
            >
              Restore
            </Menu.Item>
          )}
          {isDecommissioned ? (
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} />}
              disabled={!can(me, 'devices:delete')}
              onClick={confirmDelete}
            >
              Delete permanently…
            </Menu.Item>
          ) : (
            <Menu.Item
              color="red"
              leftSection={<IconArchive size={16} />}
              disabled={!can(me, 'devices:delete')}
              onClick={confirmDecommission}
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
