import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import { allOf, type Condition } from './condition.ts'
import { type Filters, filterOf, siteIdsOf } from './filter.ts'
import { after, type ListPosition, type Order, sortKeys } from './position.ts'

/** What a list is about, and the index that finds it without regard to the order. */
export interface DeviceQuery extends Condition {
  index: 'NOT INDEXED' | `INDEXED BY ${string}`
}

/** From how many matches on a list walks the sort order and tests each row, instead of sorting all matches. */
export const commonMatches = 2000

/** Tables whose rows decide which devices a list has. */
export const dependsOn = ['devices', 'device_search_texts', 'device_group_members'] as const

/** The devices of these filters, `search` not included. */
export const filteredDevices = (actor: UserActor, filters: Filters): DeviceQuery => ({
  ...allOf(filterOf(actor, filters)),
  index: siteIdsOf(filters).length > 0 ? 'INDEXED BY devices_site' : 'INDEXED BY devices_org',
})

export interface Slice {
  limit: number
  offset: number
  /** After this position. */
  from: ListPosition | null
}

export interface Page {
  seqs: number[]
  total: number
}

/** The `seq` of one page. */
export function seqsInOrder(db: Database, wanted: DeviceQuery, order: Order, { limit, offset, from }: Slice): number[] {
  const { sql, parameters } = from ? allOf([wanted, after(from, order)]) : wanted
  return db
    .statement<number>(`SELECT seq FROM devices ${wanted.index} WHERE ${sql} ${inOrder(order)} LIMIT +? OFFSET +?`)
    .pluck()
    .all([...parameters, limit, offset])
}

export const inOrder = ({ by, dir }: Order): string => `ORDER BY ${sortKeys[by].sql} ${dir}, devices.id`
