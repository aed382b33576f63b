import { Button, Tooltip } from '@mantine/core'
import { IconPower, IconRefresh, IconRotateClockwise, IconTerminal2 } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { useDeviceCommands } from '../../domain/commands/use-device-commands.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import classes from './device-actions.module.css'
import { DeviceMenu } from './device-menu.tsx'

/** Actions on a device. */
export function DeviceActions({ device }: { device: DeviceDetail }) {
  return (
    <>
      {/* The one thing to do with a device that waits for approval is to decide on it. */}
      {device.status !== 'quarantined' && <CommandButtons device={device} />}
      <DeviceMenu device={device} />
    </>
  )
}

const buttonClasses = { root: classes.button, section: classes.wide }

/** Unavailable ones show the reason. */
function CommandButtons({ device }: { device: DeviceDetail }) {
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const { mayNotRun, mayNotScript, refresh, restart, shutDown, pending } = useDeviceCommands(device)
  const openScript = () => navigate({ search: (old) => ({ ...old, panel: 'script' }) })
  useOfferActions([
    ...(mayNotScript ? [] : [{ label: 'Run script', alias: 'Command', Icon: IconTerminal2, run: openScript }]),
    ...(mayNotRun ? [] : [{ label: 'Refresh inventory', Icon: IconRefresh, run: refresh }]),
    ...(mayNotRun ? [] : [{ label: 'Restart', alias: 'Reboot', Icon: IconRotateClockwise, run: restart }]),
    ...(mayNotRun ? [] : [{ label: 'Shut down', alias: 'Turn off Power', Icon: IconPower, run: shutDown }]),
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
          leftSection={<IconRotateClockwise size={16} />}
          data-disabled={mayNotRun !== null || undefined}
          aria-disabled={mayNotRun !== null}
          loading={pending === 'reboot'}
          onClick={mayNotRun ? undefined : restart}
        >
          Restart
        </Button>
      </Explained>
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
