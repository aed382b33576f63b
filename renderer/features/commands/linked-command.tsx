import { CloseButton } from '@mantine/core'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { Panel } from '../../ui/panel.tsx'
import { CommandDetail } from './command-detail.tsx'
import { CommandLoaded } from './command-loaded.tsx'
import classes from './commands-tab.module.css'

interface Props {
  device: DeviceDetail
  commandId: string
  onClose: () => void
}

/** The command that a link names, where it is not on the page of the list that is shown. */
export function LinkedCommand({ device, commandId, onClose }: Props) {
  return (
    <div className={classes.linked}>
      <Panel title="Linked command" actions={<CloseButton aria-label="Close linked command" onClick={onClose} />}>
        <CommandLoaded deviceId={device.id} commandId={commandId}>
          {(command) => <CommandDetail device={device} command={command} />}
        </CommandLoaded>
      </Panel>
    </div>
  )
}
