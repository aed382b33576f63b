import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ListedDevice } from '../../../shared/api/devices.ts'
import { deviceName, osText } from '../../domain/devices/device-labels.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import classes from '../../ui/data-table/table.module.css'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CpuAndMemoryBars } from './cpu-memory-bars.tsx'
import { locationText, useDeviceLocations } from './use-device-locations.ts'

interface Props {
  devices: ListedDevice[]
  /** The box that selects a device. */
  boxOf: (device: ListedDevice) => ReactNode
}

/** The device list on a narrow screen. */
export function DeviceCards({ devices, boxOf }: Props) {
  const locationOf = useDeviceLocations(devices)
  const rowKeys = useRowKeys<HTMLUListElement>()
  return (
    <ul {...rowKeys} className={classes.cards} aria-label="Devices">
      {devices.map((device) => (
        <li key={device.id} className={classes.card}>
          <Group gap="sm" wrap="nowrap">
            <div className={classes.above}>{boxOf(device)}</div>
            <TextLink
              to="/devices/$deviceId"
              params={{ deviceId: device.id }}
              data-main
              fw={600}
              c="inherit"
              truncate
              flex={1}
            >
              {deviceName(device)}
            </TextLink>
            <Text size="sm" component="div">
              <DeviceStatusDot status={device.status} />
            </Text>
          </Group>
          <Text size="sm" c="dimmed">
            {locationText(locationOf(device))}
          </Text>
          <Group justify="space-between" wrap="nowrap" align="flex-end">
            <Text size="xs" c="dimmed" component="div">
              {osText(device)}
              <br />
              <RelativeTime at={device.lastSeenAt} never="Never seen" />
            </Text>
            <CpuAndMemoryBars
              cpu={device.cpuPercent}
              memory={device.ramPercent}
              isCurrent={device.status === 'online'}
            />
          </Group>
        </li>
      ))}
    </ul>
  )
}
