import { Button, Group, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countQuery, type EntryPage, type LogPage } from '../../data/audit-log.ts'
import { count, plural } from '../../lib/format.ts'
import { eventCount } from './event-count.ts'

interface Props {
  logPage: LogPage
  entries: EntryPage
  onTurn: (page: number, until: string | undefined) => void
}

/** Paging without a total: counting millions of events takes time and is done on request. */
export function EventPager({ logPage, entries, onTurn }: Props) {
  const { page = 1, until } = logPage
  const { data, pagination } = entries
  const { isLast, eventsBefore: before } = pagination
  const shown = eventCount(data)
  const [isWanted, setWanted] = useState(false)
  const counted = useQuery({
    ...countQuery(logPage, page === 1 ? data[0]?.id : undefined),
    enabled: isWanted && !isLast,
    placeholderData: keepPreviousData,
  })
  const total = isLast ? before + shown : counted.data
  return (
    <Group justify="space-between" mt="sm" gap="sm" component="nav" aria-label="Pages of events">
      <Group gap="xs">
        <Text size="sm" c="dimmed" className="nums" aria-live="polite">
          {(page > 1 || !isLast) && `${count(before + 1)}–${count(before + shown)} of `}
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
            onClick={() => onTurn(page + 1, until ?? data[0]?.timestamp)}
          >
            Older
          </Button>
        </Group>
      )}
    </Group>
  )
}
