import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { diskFullPercent, type ListedDevice } from '../../../shared/api/devices.ts'
import { deviceName, osText } from '../../domain/devices/device-labels.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { percent } from '../../lib/format.ts'
import classes from '../../ui/data-table/table.module.css'
import { useRowKeys } from '../../ui/data-table/use-row-keys.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import tableClasses from './device-table.module.css'
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
            {/* biome-ignore lint/a11y/noLabelWithoutControl: the box has a name of its own; this makes its target larger */}
            <label className={`${classes.above} ${classes.touch}`}>{boxOf(device)}</label>
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
          <Text size="xs" c="dimmed" component="div">
            {osText(device)} · <RelativeTime at={device.lastSeenAt} never="Never seen" />
            <Load device={device} />
            {device.tags.length > 0 && <div>Tags: {device.tags.join(', ')}</div>}
          </Text>
        </li>
      ))}
    </ul>
  )
}

/** Of a device that is not online, as it last reported. */
function Load({ device: { status, cpuPercent, ramPercent, diskPercent } }: { device: ListedDevice }) {
  const load = [
    ...(cpuPercent === null ? [] : [`CPU ${percent(cpuPercent)}`]),
    ...(ramPercent === null ? [] : [`Memory ${percent(ramPercent)}`]),
  ].join(' · ')
  if (load === '' && diskPercent === null) return null
  return (
    <div className="nums">
      {status !== 'online' && 'Last report: '}
      {load}
      {load !== '' && diskPercent !== null && ' · '}
      {diskPercent !== null && (
        <span className={tableClasses.disk} data-full={diskPercent >= diskFullPercent || undefined}>
          Disk {percent(diskPercent)}
        </span>
      )}
    </div>
  )
}
