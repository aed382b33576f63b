import { Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ListedDevice } from '../../../../shared/api/devices.ts'
import type { RefusedDevice } from '../../../../shared/api/several-devices.ts'
import { deviceName } from '../../../domain/devices/device-labels.ts'
import { messageForPart } from '../../../lib/error-messages.ts'
import { plural } from '../../../lib/format.ts'
import { useFocusOnAppear } from '../../../lib/use-focus-on-appear.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import { TextLink } from '../../../ui/links.tsx'
import { Notice } from '../../../ui/notice.tsx'
import type { Outcome } from './outcome.ts'
import classes from './outcome-view.module.css'

interface Props {
  outcome: Outcome
  devices: readonly ListedDevice[]
  onClose: () => void
}

/** How many it was done with, and of the others each by name with the reason. */
export function OutcomeView({ outcome, devices, onClose }: Props) {
  const { text, failed, skipped, scripts = [] } = outcome
  const start = useFocusOnAppear<HTMLDivElement>()
  const nameOf = (id: string) => {
    const device = devices.find((one) => one.id === id)
    return device ? deviceName(device) : id
  }
  const reasons = (refused: readonly RefusedDevice[]) =>
    refused.map((one) => (
      <li key={one.deviceId}>
        <b>{nameOf(one.deviceId)}</b>: {messageForPart(one)}
      </li>
    ))
  return (
    <Stack>
      <Text size="sm" component="div" role="status" ref={start} tabIndex={-1}>
        {text}
      </Text>
      {failed.length > 0 && (
        <Notice tone="bad" role="alert" title={`Not done on ${plural(failed.length, 'device')}`}>
          <Names>{reasons(failed)}</Names>
        </Notice>
      )}
      {skipped.length > 0 && (
        <Notice tone="busy" title={`Nothing to do on ${plural(skipped.length, 'device')}`}>
          <Names>{reasons(skipped)}</Names>
        </Notice>
      )}
      {scripts.length > 0 && (
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            Output
          </Text>
          <Names>
            {scripts.map(({ id, deviceId }) => (
              <li key={id}>
                <TextLink
                  to="/devices/$deviceId"
                  params={{ deviceId }}
                  search={{ tab: 'commands', command: id }}
                  size="sm"
                >
                  {nameOf(deviceId)}
                </TextLink>
              </li>
            ))}
          </Names>
        </Stack>
      )}
      <DialogFooter>
        <Button onClick={onClose}>Done</Button>
      </DialogFooter>
    </Stack>
  )
}

/** Five hundred at most, so that they scroll. */
function Names({ children }: { children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ul className={classes.names} tabIndex={0}>
      {children}
    </ul>
  )
}
