import { SimpleGrid } from '@mantine/core'
import { Fragment } from 'react'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { osNames } from '../../domain/devices/device-labels.ts'
import { dash, exactTime, gigabytes, megabytes, timeSpan } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

export function DeviceFacts({ device }: { device: DeviceDetail }) {
  const { hardware } = device
  const primary = device.networkInterfaces.find((one) => one.isPrimary) ?? device.networkInterfaces[0]
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Panel title="System">
        <Facts>
          <Fact name="System">{osNames[device.osType]}</Fact>
          <Fact name="Version">{[device.osVersion, device.osBuild].filter(Boolean).join(', build ')}</Fact>
          <Fact name="Architecture">{device.architecture}</Fact>
          <Fact name="Uptime">{device.uptimeSeconds === null ? null : timeSpan(device.uptimeSeconds)}</Fact>
          <Fact name="Last user">{device.lastUser}</Fact>
          <Fact name="Restart">{device.pendingReboot ? 'Needed' : 'Not needed'}</Fact>
          <Fact name="Virtual machine">{device.isVirtual ? (device.virtualizationPlatform ?? 'Yes') : 'No'}</Fact>
        </Facts>
      </Panel>
      <Panel title="Hardware">
        <Facts>
          <Fact name="Model">{[hardware?.manufacturer, hardware?.model].filter(Boolean).join(' ')}</Fact>
          <Fact name="Serial number">
            <Exact text={hardware?.serialNumber} label="Copy serial number" />
          </Fact>
          <Fact name="Processor">{hardware?.cpuModel}</Fact>
          <Fact name="Cores">{coresText(hardware?.cpuCores, hardware?.cpuThreads)}</Fact>
          <Fact name="Memory">{hardware?.ramTotalMb ? megabytes(hardware.ramTotalMb) : null}</Fact>
          <Fact name="Disks">{hardware?.diskTotalGb ? gigabytes(hardware.diskTotalGb) : null}</Fact>
        </Facts>
      </Panel>
      <Panel title="Network">
        <Facts>
          <Fact name="LAN IP address">
            <Exact text={device.lanIp} label="Copy LAN IP address" />
          </Fact>
          <Fact name="Public IP address">
            <Exact text={device.wanIp} label="Copy public IP address" />
          </Fact>
          <Fact name="Primary interface">{primary?.interfaceName}</Fact>
          <Fact name="MAC address">
            <Exact text={primary?.macAddress} label="Copy MAC address" />
          </Fact>
          <Fact name="Last seen">{device.lastSeenAt && exactTime(device.lastSeenAt)}</Fact>
          <Fact name="Connection">{connectionText(device)}</Fact>
        </Facts>
      </Panel>
      <Panel title="Enrollment">
        <Facts>
          <Fact name="Enrolled">
            <RelativeTime at={device.enrolledAt} />
          </Fact>
          <Fact name="Enrollment key">
            <KeyName device={device} />
          </Fact>
          <Fact name="Agent version">{device.agentVersion}</Fact>
          <Fact name="Organization">{device.orgName}</Fact>
          <Fact name="Site">{`${device.siteName} (${device.siteTimezone})`}</Fact>
          <Fact name="Groups">
            <Groups device={device} />
          </Fact>
          <Fact name="Reports to">{device.agentServerUrl}</Fact>
          <Fact name="Device ID">
            <Copyable text={device.id} label="Copy device ID" />
          </Fact>
          <Fact name="Agent ID">
            <Copyable text={device.agentId} label="Copy agent ID" />
          </Fact>
        </Facts>
      </Panel>
    </SimpleGrid>
  )
}

/** What people carry into a terminal or a ticket. */
const Exact = ({ text, label }: { text: string | null | undefined; label: string }) =>
  text ? <Copyable text={text} label={label} /> : dash

function Groups({ device: { groups, orgId } }: { device: DeviceDetail }) {
  const me = useMe()
  if (groups.length === 0) return dash
  return groups.map(({ groupId, groupName }, at) => (
    <Fragment key={groupId}>
      {at > 0 && ', '}
      {can(me, 'organizations:read') ? (
        <TextLink to="/organizations/$orgId" params={{ orgId }} search={{ tab: 'groups', group: groupId }} size="sm">
          {groupName}
        </TextLink>
      ) : (
        groupName
      )}
    </Fragment>
  ))
}

function KeyName({ device: { enrollmentKey, orgId } }: { device: DeviceDetail }) {
  const me = useMe()
  if (!enrollmentKey) return dash
  if (!can(me, 'organizations:read')) return enrollmentKey.name
  return (
    <TextLink to="/enrollment-keys" search={{ org: orgId }} size="sm">
      {enrollmentKey.name}
    </TextLink>
  )
}

function coresText(cores: number | null | undefined, threads: number | null | undefined): string | null {
  if (!cores) return null
  return threads && threads !== cores ? `${cores} (${threads} threads)` : String(cores)
}

function connectionText({ isConnected, status }: DeviceDetail): string {
  if (isConnected) return 'Connected now'
  return status === 'online' ? 'Reports about once a minute' : 'Not connected'
}
