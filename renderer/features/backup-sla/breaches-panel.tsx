import { Text, ThemeIcon } from '@mantine/core'
import { IconClockX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { SlaEvent } from '../../../shared/api/backup-sla.ts'
import { slaEventsQuery } from '../../data/backup-sla.ts'
import { breachAdvice, foundWords } from '../../domain/backup-sla/sla-words.ts'
import { LinkRow, LinkRows } from '../../ui/link-rows.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { eventsAnchor } from './events-panel.tsx'

/** Of more than so many breaches the list of events has the rest. */
const looked = 100
const shownDevices = 8

/** Devices on which something that is promised is not kept now, each with what to do. */
export function BreachesPanel({ orgId }: { orgId: string }) {
  const open = useQuery(slaEventsQuery({ orgId, state: 'open', page: 1, limit: looked }))
  return (
    <Panel title="Not met now">
      <Loaded of={open} lines={3}>
        {({ data, pagination }) => <Breaches events={data} total={pagination.total} />}
      </Loaded>
    </Panel>
  )
}

function Breaches({ events, total }: { events: readonly SlaEvent[]; total: number }) {
  if (events.length === 0)
    return (
      <Text size="sm" component="div">
        <StatusDot tone="good">Every SLA that is on is met.</StatusDot>
      </Text>
    )
  const devices = [...Map.groupBy(events, ({ deviceId }) => deviceId).values()]
  const isAll = devices.length <= shownDevices && total <= events.length
  return (
    <>
      <LinkRows>
        {devices.slice(0, shownDevices).map((all) => (
          <DeviceRow key={all[0]?.deviceId} events={all} />
        ))}
      </LinkRows>
      {!isAll && (
        <Text size="sm" mt="xs">
          <TextLink
            to="/backup/sla"
            search={(old) => ({ ...old, state: 'open', type: undefined, sla: undefined, page: undefined })}
            hash={eventsAnchor}
          >
            Show all breaches
          </TextLink>
        </Text>
      )}
    </>
  )
}

/** The newest breach of the device says what is wrong. */
function DeviceRow({ events }: { events: readonly SlaEvent[] }) {
  const [first] = events.toSorted((one, other) => order[one.eventType] - order[other.eventType])
  if (!first) return null
  const names = [...new Set(events.map(({ slaConfigName }) => slaConfigName))].join(', ')
  const since = events.map(({ detectedAt }) => detectedAt).reduce((one, other) => (one < other ? one : other))
  return (
    <LinkRow
      to="/devices/$deviceId"
      params={{ deviceId: first.deviceId }}
      search={{ tab: 'backup' }}
      icon={
        <ThemeIcon variant="light" color="red" size={34} radius="md" aria-hidden>
          <IconClockX size={19} stroke={1.6} />
        </ThemeIcon>
      }
      text={`${first.deviceName}: ${foundWords(first)}`}
      note={`${names} · ${breachAdvice(events)}`}
      aside={<RelativeTime at={since} isShort />}
    />
  )
}

const order = { rpo_breach: 0, rto_breach: 1, missed_backup: 2 } as const
