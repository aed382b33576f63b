import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { LiveProvider } from '../../../domain/live-events/live-provider.tsx'

interface Props {
  addDevice: ReactNode
  onDone: () => void
  isLeaving: boolean
}

export function DeviceStep({ addDevice, onDone, isLeaving }: Props) {
  return (
    <LiveProvider>
      <Stack>
        {addDevice}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone} loading={isLeaving}>
            Finish setup
          </Button>
        </Group>
      </Stack>
    </LiveProvider>
  )
}
