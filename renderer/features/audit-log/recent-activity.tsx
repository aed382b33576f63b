import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AuditEntryView } from '../../../shared/api/audit-log.ts'
import { recentEntriesQuery } from '../../data/audit-log.ts'
import { count, relativeTime } from '../../lib/format.ts'
import { usePreviousVisit } from '../../lib/last-visit.ts'
import { dayMs, useNow } from '../../lib/now.ts'
import { useMe } from '../../lib/session.ts'
import { LinkRow, LinkRows } from '../../ui/link-rows.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { entryName, resourceName } from './action-labels.ts'
import { foldEvents } from './fold-events.ts'

const shownRows = 8

/** What others did since the user was here, or in the last 24 hours where that is not known. */
export function RecentActivity({ orgId }: { orgId: string | undefined }) {
  const me = useMe()
  const previousVisit = usePreviousVisit(me.id)
  const now = useNow()
  // To the hour, so that the query stays the same.
  const yesterday = new Date(Math.floor((now - dayMs) / 3_600_000) * 3_600_000).toISOString()
  const from = previousVisit ?? yesterday
  const entries = useQuery(recentEntriesQuery({ from, org: orgId }))
  return (
    <Panel
      title={previousVisit ? 'Since your last visit' : 'In the last 24 hours'}
      actions={
        <TextLink to="/audit" search={{ org: orgId, from }} size="sm">
          All events
        </TextLink>
      }
    >
      <Loaded of={entries}>{(all) => <Events events={all.filter(({ user }) => user.id !== me.id)} />}</Loaded>
      {previousVisit && (
        <Text size="xs" c="dimmed" mt="xs">
          You were last here {relativeTime(previousVisit, now)}. Your own actions aren’t listed.
        </Text>
      )}
    </Panel>
  )
}

function Events({ events }: { events: readonly AuditEntryView[] }) {
  if (events.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing happened.
      </Text>
    )
  return (
    <LinkRows isDense>
      {foldEvents(events)
        .slice(0, shownRows)
        .map(([event, ...others]) => (
          <LinkRow
            key={event.id}
            to="/audit"
            search={{ event: event.id }}
            text={textOf(event, others.length)}
            note={[event.user.name || resourceName(event.user.role), event.orgName].filter(Boolean).join(' · ')}
            aside={<RelativeTime at={event.timestamp} />}
          />
        ))}
    </LinkRows>
  )
}

function textOf(entry: AuditEntryView, others: number): string {
  const { resource, folded } = entry
  if (folded?.as === 'import') return entryName(entry)
  const text = [entryName(entry), resource.name].filter(Boolean).join(': ')
  if (others > 0) return `${text} and ${count(others)} more`
  return folded ? `${text}, ${count(folded.count)} times` : text
}
