import type { AuditEntryView } from '../../../shared/api/audit-log.ts'

type Entry = Pick<AuditEntryView, 'id' | 'timestamp' | 'action' | 'user' | 'resource' | 'folded'>

/** How many events the entries tell of. */
export const eventCount = (entries: readonly Pick<Entry, 'folded'>[]): number =>
  entries.reduce((sum, { folded }) => sum + (folded?.count ?? 1), 0)

/** How many events of the latest page are newer than the old page. */
export function newerEvents(old: readonly Entry[], latest: readonly Entry[]): number {
  const [newest] = old
  if (!newest) return eventCount(latest)
  const isKnown = ({ id, timestamp }: Entry) => timestamp < newest.timestamp || old.some((entry) => entry.id === id)
  const first = latest.findIndex(isKnown)
  const newer = first === -1 ? latest : latest.slice(0, first)
  // An entry that has grown holds events of the old page too.
  const grownFrom = newer.flatMap((entry) => old.find((former) => isSameGroup(former, entry)) ?? [])
  return Math.max(newer.length, eventCount(newer) - eventCount(grownFrom))
}

const isSameGroup = (former: Entry, { action, user, resource, timestamp, folded }: Entry) =>
  former.action === action &&
  former.user.id === user.id &&
  former.resource.id === resource.id &&
  (former.folded?.since ?? former.timestamp) === (folded?.since ?? timestamp)
