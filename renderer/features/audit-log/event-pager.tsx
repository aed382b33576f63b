import { Button, Group, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countQuery, type EventPage, eventsPerPage, type LogPage } from '../../data/audit-log.ts'
import { count, plural } from '../../lib/format.ts'

interface Props {
  logPage: LogPage
  events: EventPage['data']
  onTurn: (page: number, until: string | undefined) => void
}

/** Paging without a total: counting millions of events takes time and is done on request. */
export function EventPager({ logPage, events, onTurn }: Props) {
  const { page = 1, until } = logPage
  const isLast = events.length < eventsPerPage
  const before = (page - 1) * eventsPerPage
  const [isWanted, setWanted] = useState(false)
  const counted = useQuery({
    ...countQuery(logPage, page === 1 ? events[0]?.id : undefined),
    enabled: isWanted && !isLast,
    placeholderData: keepPreviousData,
  })
  const total = isLast ? before + events.length : counted.data
  return (
    <Group justify="space-between" mt="sm" gap="sm" component="nav" aria-label="Pages of events">
      <Group gap="xs">
        <Text size="sm" c="dimmed" className="nums" aria-live="polite">
          {(page > 1 || !isLast) && `${count(before + 1)}–${count(before + events.length)} of `}
          {total === undefined ? 'many events' : plural(total, 'event')}
        </Text>
        {total === undefined && (
          <Button size="compact-sm" variant="subtle" loading={counted.isFetching} onClick={() => setWanted(true)}>
            Count
          </Button>
        )}
      </Group>
      {(page > 1 || !isLast) && (
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={page === 1} onClick={() => onTurn(page - 1, until)}>
            Newer
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={isLast}
            onClick={() => onTurn(page + 1, until ?? events[0]?.timestamp)}
          >
            Older
          </Button>
        </Group>
      )}
    </Group>
  )
}
