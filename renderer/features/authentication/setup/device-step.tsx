import { Button, Group, Stack } from '@mantine/core'
import { LiveProvider } from '../../../domain/live-events/live-provider.tsx'
import { AddDevice } from '../../enrollment-keys/add-device/add-device.tsx'

export function DeviceStep({ onDone, isLeaving }: { onDone: () => void; isLeaving: boolean }) {
  return (
    <LiveProvider>
      <Stack>
        <AddDevice hasLinks={false} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone} loading={isLeaving}>
            Finish the set-up
          </Button>
        </Group>
      </Stack>
    </LiveProvider>
  )
}
