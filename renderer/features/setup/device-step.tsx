import { Button, Group, Stack } from '@mantine/core'
import { AddDevice } from '../add-device/add-device.tsx'
import { LiveProvider } from '../shell/live-provider.tsx'

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
