import { Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { devicesQuery } from '../../../data/devices.ts'
import type { CreatedEnrollmentKey } from '../../../data/enrollment-keys.ts'
import { enrollmentKeyQuery } from '../../../data/enrollment-keys.ts'
import { useLiveEvent, useLiveState } from '../../../domain/live-events/live-provider.tsx'
import { plural } from '../../../lib/format.ts'
import { TextLink } from '../../../ui/links.tsx'

interface Arrival {
  id: string
  hostname: string
}

/** Waits for devices that enroll with this key, and lists them as they do. */
export function WaitForDevices({
  enrollmentKey,
  hasLinks,
}: {
  enrollmentKey: CreatedEnrollmentKey
  hasLinks: boolean
}) {
  const arrivals = useArrivals(enrollmentKey)
  const isComplete = enrollmentKey.maxUsage !== null && arrivals.length >= enrollmentKey.maxUsage
  return (
    <Paper withBorder p="sm" radius="md" role="status" aria-live="polite">
      <Stack gap="xs">
        {arrivals.map((device) => (
          <Group key={device.id} gap="xs">
            <IconCircleCheck size={20} color="var(--mantine-color-teal-6)" aria-hidden />
            <Text size="sm">
              {hasLinks ? (
                <TextLink to="/devices/$deviceId" params={{ deviceId: device.id }} fw={600}>
                  {device.hostname}
                </TextLink>
              ) : (
                <b>{device.hostname}</b>
              )}{' '}
              is online.
            </Text>
          </Group>
        ))}
        {!isComplete && (
          <Group gap="sm">
            <Loader size={16} type="dots" aria-hidden />
            <Text size="sm" c="dimmed">
              {waitWords(arrivals.length, enrollmentKey.maxUsage)}
            </Text>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

function waitWords(arrived: number, expected: number | null): string {
  if (arrived === 0 || expected === null) return 'Waiting for the device… You can leave this page; it will join anyway.'
  return `Waiting for ${plural(expected - arrived, 'more device')}…`
}

/**
 * From live events; the key's use count reveals events lost while the stream was down, and then the list is fetched.
 */
function useArrivals(key: CreatedEnrollmentKey): Arrival[] {
  const [announced, setAnnounced] = useState<Arrival[]>([])
  const isLive = useLiveState() === 'live'
  useLiveEvent((event) => {
    if (event.type !== 'device.enrolled' || event.enrollmentKeyId !== key.id) return
    const arrival = { id: event.deviceId, hostname: event.hostname }
    setAnnounced((known) => [...known.filter(({ id }) => id !== arrival.id), arrival])
  })
  const used = useQuery({ ...enrollmentKeyQuery(key.id), refetchInterval: isLive ? false : 5000 }).data?.usageCount ?? 0
  const newest = useQuery({
    ...devicesQuery({
      orgId: key.orgId,
      siteId: key.siteId ?? undefined,
      sort: 'enrolled',
      sortDir: 'desc',
      limit: '20',
    }),
    enabled: used > announced.length,
  })
  const unannounced = (used > announced.length ? (newest.data?.data ?? []) : []).filter(
    (row) => row.enrolledAt !== null && row.enrolledAt >= key.createdAt && !announced.some(({ id }) => id === row.id),
  )
  return [...announced, ...unannounced.slice(0, used - announced.length)]
}
