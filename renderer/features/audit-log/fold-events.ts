import type { AuditEntryView } from '../../../shared/api/audit-log.ts'

type Comparable = Pick<AuditEntryView, 'action' | 'orgId' | 'user' | 'folded'>

/** Entries that follow each other and tell of the same action of the same user in the same organization, as one group. */
export function foldEvents<Event extends Comparable>(events: readonly Event[]): [Event, ...Event[]][] {
  const groups: [Event, ...Event[]][] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (last && isAlike(last[0], event)) last.push(event)
    else groups.push([event])
  }
  return groups
}

const isAlike = (one: Comparable, other: Comparable) =>
  one.folded?.as !== 'import' &&
  other.folded?.as !== 'import' &&
  one.action === other.action &&
  one.orgId === other.orgId &&
  one.user.id === other.user.id
