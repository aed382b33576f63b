import { hour } from '../../platform/clock.ts'
import type { EventTraits } from './event-rows.ts'

/** Events that are shown as one. */
export interface FoldedEntry {
  as: 'import' | 'repetition'
  newest: EventTraits
  count: number
  /** The time of the oldest event. */
  since: string
  organizations: Set<string | null>
}

/** More are continued in another entry: a page must not take the whole log to read. */
const maxEvents = { import: 5000, repetition: 1000 }
/** What happens again later than this is something new. */
const maxPauseMs = hour

/** A device that comes and goes is one story, whether its agent or the appliance noticed. */
export const isByAnyone = (action: string): boolean => action === 'agent.heartbeat.state_change'

/** The same for events that belong together. */
export function foldKey(event: EventTraits): string {
  if (event.import_id) return `import ${event.import_id} ${event.actor_id}`
  const { action, resource_type, resource_id, resource_name, org_id, result } = event
  const actor = isByAnyone(action) ? [] : [event.actor_type, event.actor_id, event.actor_email]
  return JSON.stringify([action, resource_type, resource_id ?? [resource_name], org_id, result, ...actor])
}

/** Makes a page of entries from events that are added newest first; `page` begins with 1. */
export class FoldedEntries {
  readonly page: FoldedEntry[] = []
  /** Events on earlier pages. */
  eventsBefore = 0
  /** True while no event was left over. */
  isLast = true
  readonly #open = new Map<string, FoldedEntry>()
  readonly #first: number
  readonly #limit: number
  #begun = 0

  constructor(page: number, limit: number) {
    this.#first = (page - 1) * limit
    this.#limit = limit
  }

  /** False once the event belongs to the next page; then all events of this one have been added. */
  add(event: EventTraits): boolean {
    const key = foldKey(event)
    const entry = this.#open.get(key)
    if (entry && isContinuedBy(entry, event)) {
      entry.count++
      entry.since = event.timestamp
      entry.organizations.add(event.org_id)
    } else if (this.#begun === this.#first + this.#limit) {
      this.isLast = false
      return false
    } else this.#begin(key, event)
    if (this.#begun <= this.#first) this.eventsBefore++
    return true
  }

  #begin(key: string, newest: EventTraits): void {
    // An entry of an earlier page goes on in one of its own, because that page ends without it.
    if (this.#begun % this.#limit === 0) this.#open.clear()
    const entry: FoldedEntry = {
      as: newest.import_id ? 'import' : 'repetition',
      newest,
      count: 1,
      since: newest.timestamp,
      organizations: new Set([newest.org_id]),
    }
    this.#open.set(key, entry)
    this.#begun++
    if (this.#begun > this.#first) this.page.push(entry)
  }
}

const isContinuedBy = ({ as, count, since }: FoldedEntry, { timestamp }: EventTraits): boolean =>
  count < maxEvents[as] && (as === 'import' || Date.parse(since) - Date.parse(timestamp) <= maxPauseMs)
