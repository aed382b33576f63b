import { AnswerCache } from '../../db/answer-cache.ts'
import type { Database } from '../../db/database.ts'
import { isIndexed } from '../../db/like.ts'
import type { Steps } from '../../lib/pieces.ts'
import { allOf, isAmong } from './condition.ts'
import { commonMatches, type DeviceQuery, dependsOn, type Page, type Slice, seqsInOrder } from './device-query.ts'
import { fittingInSlices } from './page-scan.ts'
import type { Order } from './position.ts'
import { candidatesOf, contains, linesHave } from './search-text.ts'
import type { DeviceTotals } from './totals.ts'

const maxSearches = 200
const byHostname: Order = { by: 'hostname', dir: 'asc' }

/** A device with a value that begins with the text, or is the text. */
export interface FoundByValue {
  seq: number
  isWhole: boolean
}

interface ValueRow {
  value: string
  id: number
  fits?: number
}

/** Looked at in one step. */
const valuesPerStep = 250
/** Those of so many devices times four, so that no device is in two steps. */
const textsPerStep = 4 * 250

/** Searches devices for texts in one of several spellings. */
export class DeviceSearch {
  readonly #db: Database
  readonly #totals: DeviceTotals
  /** The `seq` of few devices that may have a text, and of those of a list that have it. */
  readonly #few: AnswerCache<readonly number[]>

  constructor(db: Database, totals: DeviceTotals) {
    this.#db = db
    this.#totals = totals
    this.#few = new AnswerCache(db, dependsOn, maxSearches)
  }

  *page(within: DeviceQuery, spellings: readonly string[], order: Order, slice: Slice): Steps<Page> {
    const fitting = this.#fewFitting(within, spellings)
    if (fitting) {
      const found = yield* fitting
      return { total: found.length, seqs: this.#sorted(found, order, slice) }
    }
    return yield* this.#totals.inSlices(allOf([within, contains(spellings)]), order, slice)
  }

  /** Devices with a value that begins with one of the spellings, in the order of the values: whole values come first. */
  *beginning(within: DeviceQuery, spellings: readonly string[], limit: number): Steps<FoundByValue[]> {
    const found = new Map<number, FoundByValue>()
    for (const spelling of spellings) {
      const first = spelling.toLowerCase()
      for (let last: ValueRow | undefined = { value: first, id: -1 }; last && found.size < limit; ) {
        const some: ValueRow[] = this.#values(within, last, `${first}\u{10ffff}`)
        for (const { value, id, fits } of some) {
          const seq = Math.floor(id / 4)
          if (fits && found.size < limit && !found.has(seq)) found.set(seq, { seq, isWhole: value === first })
        }
        last = some.length < valuesPerStep ? undefined : some.at(-1)
        yield
      }
    }
    return [...found.values()]
  }

  #values({ sql, parameters }: DeviceQuery, last: ValueRow, end: string): ValueRow[] {
    const values = `SELECT value, id FROM device_search_values WHERE (value, id) > (?, ?) AND value < ?
      ORDER BY value, id LIMIT ${valuesPerStep}`
    const fits = `EXISTS (SELECT 1 FROM devices WHERE devices.seq = found.id / 4 AND ${sql})`
    return this.#db
      .statement<ValueRow>(`SELECT value, id, ${fits} AS fits FROM (${values}) AS found`)
      .all(...parameters, last.value, last.id, end)
  }

  /** Some devices that have one of the spellings anywhere, as many as are wanted; all where there are no more. */
  *some(within: DeviceQuery, spellings: readonly string[], limit: number): Steps<readonly number[]> {
    const fitting = this.#fewFitting(within, spellings)
    if (fitting) return this.#sorted(yield* fitting, byHostname, { limit, offset: 0, from: null })
    const candidates = this.#candidates(spellings) ?? []
    const first = yield* fittingInSlices(this.#db, candidates, allOf([within, contains(spellings)]), limit)
    return first.length === limit ? first : yield* this.#inTexts(within, spellings, limit)
  }

  /** By looking at every text there is: twice as fast as at every device. */
  *#inTexts({ sql, parameters }: DeviceQuery, spellings: readonly string[], limit: number): Steps<number[]> {
    const having = linesHave(spellings)
    const select = this.#db
      .statement<number>(
        `SELECT seq FROM devices WHERE ${sql} AND seq IN (
          SELECT id / 4 FROM device_search_texts AS texts WHERE id > ? AND id <= ? AND ${having.sql}) LIMIT ?`,
      )
      .pluck()
    const end = this.#db.statement<number | null>('SELECT max(id) FROM device_search_texts').pluck().get() ?? 0
    const found: number[] = []
    for (let from = -1; from < end && found.length < limit; from += textsPerStep) {
      const ids = [from, from + textsPerStep]
      for (const seq of select.all(...parameters, ...ids, ...having.parameters, limit - found.length)) found.push(seq)
      yield
    }
    return found
  }

  /** Null where so many devices have to be looked at that a list is better walked in its order until a page is full. */
  #fewFitting(within: DeviceQuery, spellings: readonly string[]): Steps<readonly number[]> | null {
    const isSmall = this.#totals.upTo(within, commonMatches) < commonMatches
    // One letter is many times in the index for each device.
    const candidates = isSmall && !isIndexed(spellings[0] ?? '') ? null : this.#candidates(spellings)
    if (candidates && candidates.length < commonMatches)
      return this.#fitting({ ...allOf([within, isAmong(candidates)]), index: 'NOT INDEXED' }, spellings)
    return isSmall ? this.#fitting(within, spellings) : null
  }

  /** The first devices that may have the text, by the index; null where it does not know. */
  #candidates(spellings: readonly string[]): readonly number[] | null {
    const texts = candidatesOf(spellings)
    if (!texts) return null
    const { sql, parameters } = texts
    const select = `SELECT DISTINCT id / 4 FROM (${sql}) LIMIT ${commonMatches}`
    return this.#few.answer({ sql: select, parameters }, () =>
      this.#db.statement<number>(select).pluck().all(parameters),
    )
  }

  #fitting({ sql, parameters, index }: DeviceQuery, spellings: readonly string[]): Steps<readonly number[]> {
    const by = contains(spellings)
    const select = `SELECT seq FROM devices ${index} WHERE ${sql}`
    return this.#few.answered(allOf([{ sql: select, parameters }, by]), () =>
      fittingInSlices(this.#db, this.#db.statement<number>(select).pluck().all(parameters), by),
    )
  }

  #sorted(seqs: readonly number[], order: Order, slice: Slice): number[] {
    return seqsInOrder(this.#db, { ...isAmong(seqs), index: 'NOT INDEXED' }, order, slice)
  }
}
