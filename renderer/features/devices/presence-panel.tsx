import { Group, Text } from '@mantine/core'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { timeOfDay } from '../../lib/format.ts'
import { Panel } from '../../ui/panel.tsx'
import type { Presence } from './presence-bars.ts'
import classes from './presence-strip.module.css'
import { PresenceStrip } from './presence-strip.tsx'
import { presenceTotals } from './presence-words.ts'
import { usePresence } from './use-presence.ts'

/** The last 24 hours of a device, with how long it was in each status. */
export function PresencePanel({ device }: { device: DeviceDetail }) {
  const presence = usePresence([device], true)(device)
  return (
    <Panel title="Last 24 hours" actions={presence && <Totals presence={presence} />}>
      <PresenceStrip presence={presence} isWide />
      <Text component="div" size="xs" c="dimmed" className={classes.times} aria-hidden>
        {presence && timesOf(presence).map((time) => <span key={time}>{time}</span>)}
      </Text>
    </Panel>
  )
}

function Totals({ presence }: { presence: Presence }) {
  return (
    <Group gap="md" fz="sm">
      {presenceTotals(presence).map(({ status, span }) => (
        <DeviceStatusDot key={status} status={status} span={span} />
      ))}
    </Group>
  )
}

/** Of its beginning, its middle and its end. */
function timesOf({ since, until }: Presence): string[] {
  const [start, end] = [Date.parse(since), Date.parse(until)]
  return [timeOfDay(start), timeOfDay((start + end) / 2), 'Now']
}
