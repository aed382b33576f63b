import { Affix, Button, Group, Switch } from '@mantine/core'
import { IconArrowUp, IconHistory } from '@tabler/icons-react'
import { useState } from 'react'
import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import { entriesPerPage } from '../../data/audit-log.ts'
import { SearchEverywhere } from '../../domain/organizations/search-everywhere.tsx'
import { useHasOrganizationChoice } from '../../domain/organizations/selected-organization.ts'
import { plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { EmptyList, NoMatch } from '../../ui/states.tsx'
import { EventDrawer } from './event-drawer.tsx'
import { EventPager } from './event-pager.tsx'
import classes from './event-table.module.css'
import { EventTable } from './event-table.tsx'
import { ExportButton } from './export-button.tsx'
import { LogFilters } from './log-filters.tsx'
import { useLatestEvents } from './use-latest-events.ts'
import { noFilters, useLogSearch } from './use-log-search.ts'
import { useUnfolded, useUnfolding } from './use-unfolded.ts'

export function EventList() {
  const { search, filters, targetName, logPage, isFiltered, setFilter, setFilterWhileTyping, goToPage, openEvent } =
    useLogSearch()
  const hasOrganizations = useHasOrganizationChoice() && !filters.org
  const [isLive, setLive] = useState(true)
  const unfolding = useUnfolding(logPage)
  const isHeld = !isLive || search.event !== undefined
  const latest = useLatestEvents(logPage, isHeld, Object.keys(unfolding.pages))
  const entries = latest.data?.data ?? []
  const unfolded = useUnfolded(filters, entries, unfolding)
  const shown = entries.flatMap((entry) => [
    entry,
    // The newest of its events is the entry itself.
    ...(unfolded.get(entry.id)?.events.filter(({ id }) => id !== entry.id) ?? []),
  ])
  const newest = logPage.until ?? (latest.isPlaceholderData ? undefined : latest.data?.data[0]?.timestamp)
  const mayExport = can(useMe(), 'audit:export')
  const clear = () => setFilter(noFilters)
  return (
    <>
      <LogFilters
        filters={filters}
        targetName={targetName ?? nameOf(filters.resource, entries)}
        onChange={setFilterWhileTyping}
        onClear={isFiltered ? clear : undefined}
        actions={
          <Group gap="sm">
            {!logPage.until && (
              <Switch label="Live" checked={isLive} onChange={({ currentTarget }) => setLive(currentTarget.checked)} />
            )}
            {mayExport && <ExportButton filters={{ ...filters, to: newest ?? filters.to }} isFiltered={isFiltered} />}
          </Group>
        }
      />
      <FreshEvents amount={latest.fresh} onShow={latest.show} />
      <Loaded of={latest}>
        {(page) =>
          page.data.length > 0 || logPage.until ? (
            <>
              <EventTable
                entries={page.data}
                isStale={latest.isPlaceholderData}
                hasOrganizations={hasOrganizations}
                unfolding={unfolding}
                unfolded={unfolded}
                onOpen={openEvent}
                onNarrow={setFilter}
              />
              <EventPager key={JSON.stringify(filters)} logPage={logPage} entries={page} onTurn={goToPage} />
            </>
          ) : isFiltered ? (
            <NoMatch what="events" onClear={clear} otherwise={<SearchEverywhere />} />
          ) : (
            <EmptyList icon={<IconHistory stroke={1.5} />} title="No events yet">
              Everything people do here is recorded and appears automatically.
            </EmptyList>
          )
        }
      </Loaded>
      <EventDrawer id={search.event} events={shown} onOpen={openEvent} onNarrow={setFilter} />
    </>
  )
}

/** The name of the target with this id, as the newest of its events has it. */
const nameOf = (id: string | undefined, entries: readonly AuditEventView[]): string | undefined =>
  entries.find(({ resource }) => id && resource.id === id)?.resource.name || undefined

/** New events wait until the user asks for them, so that the list does not move while being read. */
function FreshEvents({ amount, onShow }: { amount: number; onShow: () => void }) {
  return (
    <Affix role="status" position={{ top: 72, left: 0, right: 0 }} zIndex={99} className={classes.fresh}>
      {amount > 0 && (
        <Button size="xs" radius="xl" leftSection={<IconArrowUp size={14} />} onClick={onShow}>
          {amount >= entriesPerPage ? `${entriesPerPage} or more new events` : plural(amount, 'new event')}
        </Button>
      )}
    </Affix>
  )
}
