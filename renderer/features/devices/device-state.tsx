import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { maintainDevice } from '../../data/devices.ts'
import { deviceName } from '../../domain/devices/device-labels.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { minuteOf } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useNow } from '../../lib/now.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** Beside the name of a device: how it is, and until when it is in maintenance. */
export function DeviceState({ device }: { device: DeviceDetail }) {
  const now = useNow()
  const mayWrite = can(useMe(), 'devices:write')
  const maintain = useMutation(maintainDevice(device.id))
  const name = deviceName(device)
  if (device.status !== 'maintenance') return <DeviceStatusDot status={device.status} />
  const end = () =>
    maintain.mutate(
      { enable: false },
      {
        onSuccess: () => notifyDone(`Maintenance ended on ${name}`),
        onError: notifyFailed(`Maintenance wasn’t ended on ${name}`),
      },
    )
  return (
    <Group gap="xs" wrap="nowrap" fz="sm">
      <DeviceStatusDot
        status="maintenance"
        until={device.maintenanceUntil ? minuteOf(device.maintenanceUntil, now) : undefined}
      />
      {mayWrite && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label="End maintenance"
          loading={maintain.isPending}
          onClick={end}
        >
          End
        </Button>
      )}
    </Group>
  )
}
