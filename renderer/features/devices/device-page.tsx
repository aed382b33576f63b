import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { deviceQuery } from '../../data/devices.ts'
import { HistoryLink } from '../../domain/audit-log/history-link.tsx'
import { deviceName, osText } from '../../domain/devices/device-labels.ts'
import { useFollowDevice } from '../../domain/live-events/live-provider.tsx'
import { NotFound } from '../../domain/navigation/not-found.tsx'
import { useDistinguishingSlug } from '../../domain/organizations/use-distinguishing-slug.ts'
import { useRememberOpened } from '../../domain/search/recently-opened.ts'
import { ApiError } from '../../lib/api-error.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed, SkeletonLines } from '../../ui/states.tsx'
import { ApprovalBanner } from './approval-banner.tsx'
import { DeviceActions } from './device-actions.tsx'
import { DeviceFacts } from './device-facts.tsx'
import { DeviceState } from './device-state.tsx'
import { DeviceTags } from './device-tags.tsx'
import { HardwareTab } from './hardware-tab.tsx'
import { NetworkTab } from './network-tab.tsx'
import { FailedCommand, OpenCommands } from './open-commands.tsx'
import { PresencePanel } from './presence-panel.tsx'
import { SoftwareTab } from './software-tab.tsx'

const DeviceCharts = lazyPart(
  'device-charts',
  async () => (await import('./device-charts.tsx')).DeviceCharts,
  <Skeleton h={380} radius="md" />,
)

interface Props {
  commandsTab: (device: DeviceDetail) => ReactNode
  /** Null for people who may not see backups. */
  backupTab: ((device: DeviceDetail) => ReactNode) | null
  scriptDrawer: (device: DeviceDetail) => ReactNode
}

export function DevicePage(slots: Props) {
  const { deviceId } = useParams({ from: '/app/devices/$deviceId' })
  useFollowDevice(deviceId)
  const device = useQuery(deviceQuery(deviceId))
  if (device.error instanceof ApiError && device.error.status === 404) return <NotFound />
  if (device.error && !device.data) return <LoadFailed error={device.error} onRetry={device.refetch} />
  if (!device.data) return <Loading />
  return <Details device={device.data} {...slots} />
}

function Details({ device, commandsTab, backupTab, scriptDrawer }: Props & { device: DeviceDetail }) {
  const search = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const name = deviceName(device)
  useRememberOpened({ kind: 'device', id: device.id, name })
  return (
    <>
      <PageHeader
        title={name}
        before={
          <TextLink to="/devices" size="sm">
            Devices
          </TextLink>
        }
        beside={
          <>
            <DeviceState device={device} />
            <OpenCommands deviceId={device.id} />
            <FailedCommand deviceId={device.id} />
          </>
        }
        about={<About device={device} />}
        actions={<DeviceActions device={device} />}
      />
      <ApprovalBanner device={device} />
      <DeviceTags key={device.id} device={device} />
      <PageTabs
        tabs={[
          {
            value: 'overview',
            label: 'Overview',
            content: (
              <Stack>
                <PresencePanel device={device} />
                <DeviceCharts deviceId={device.id} range={search.range ?? '1h'} />
                <DeviceFacts device={device} />
              </Stack>
            ),
          },
          { value: 'hardware', label: 'Hardware & disks', content: <HardwareTab deviceId={device.id} /> },
          { value: 'network', label: 'Network', content: <NetworkTab deviceId={device.id} /> },
          { value: 'software', label: 'Software', content: <SoftwareTab deviceId={device.id} /> },
          { value: 'commands', label: 'Commands', content: commandsTab(device) },
          ...(backupTab ? [{ value: 'backup' as const, label: 'Backup', content: backupTab(device) }] : []),
        ]}
        open={search.tab ?? 'overview'}
        onOpen={(next) =>
          navigate({
            search: ({ range, dialog }) => ({ range, dialog, tab: next === 'overview' ? undefined : next }),
            replace: true,
          })
        }
      />
      {scriptDrawer(device)}
    </>
  )
}

function About({ device }: { device: DeviceDetail }) {
  const slug = useDistinguishingSlug({ id: device.orgId, name: device.orgName })
  return (
    <>
      {deviceName(device) !== device.hostname && `${device.hostname} · `}
      <TextLink to="/organizations/$orgId" params={{ orgId: device.orgId }} size="sm" td="underline">
        {device.orgName}
      </TextLink>
      {slug && ` (${slug})`}
      {` · ${device.siteName} · ${osText(device)} · seen `}
      <RelativeTime at={device.lastSeenAt} never="never" />
      <HistoryLink about={{ resource: device.id, target: deviceName(device) }} />
    </>
  )
}

function Loading() {
  return (
    <Stack>
      <Skeleton h={30} w={260} />
      <Skeleton h={16} w={380} maw="100%" />
      <SkeletonLines count={8} />
    </Stack>
  )
}
