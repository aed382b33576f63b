import { Button, ScrollArea, Table, Text } from '@mantine/core'
import type { MoveOutcome } from '../../../data/device-moves.ts'
import { deviceName } from '../../../domain/devices/device-labels.ts'
import { plural } from '../../../lib/format.ts'
import { DialogFooter } from '../../../ui/dialog-footer.tsx'
import type { MovableDevice } from './movable-device.ts'

interface Props {
  devices: readonly MovableDevice[]
  refused: MoveOutcome['failed']
  onClose: () => void
}

/** Which devices stay where they are, and why. */
export function NotMoved({ devices, refused, onClose }: Props) {
  const names = new Map(devices.map((device) => [device.id, deviceName(device)]))
  return (
    <>
      <Text size="sm" mb="xs" role="status">
        {plural(refused.length, 'device')} couldn’t be moved:
      </Text>
      <ScrollArea.Autosize mah={320} mb="md">
        <Table aria-label="Devices that couldn’t be moved">
          <Table.Tbody>
            {refused.map(({ deviceId, message }) => (
              <Table.Tr key={deviceId}>
                <Table.Th scope="row" fw={500}>
                  {names.get(deviceId)}
                </Table.Th>
                <Table.Td>{message}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <DialogFooter>
        <Button variant="default" data-autofocus onClick={onClose}>
          Close
        </Button>
      </DialogFooter>
    </>
  )
}
