import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import { type AuditColumn, auditColumns } from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { inSteps, type Steps } from '../../lib/pieces.ts'
import type { Wanted } from './filters.ts'
import { type EventRow, eventsOf } from './rows.ts'
import { cellsOf, fullEvent } from './views.ts'
import { Walk } from './walk.ts'

export interface Layout {
  /** All of them when left out. */
  columns?: readonly AuditColumn[] | undefined
  includeDetails: boolean
}

/** How many events are looked at, and written, before the reader has to take them. */
const lookedAt = 2000
const written = 100
/** So many are read and written in a step: details may be long. */
const readAtOnce = 25

const untilDone = new AbortController().signal

/**
 * Everything that matches, written while it is read: what the reader has not taken is not looked for, and between two
 * pieces nothing is held open. A reader who leaves ends it.
 */
export const exported = (db: Database, wanted: Wanted, format: 'csv' | 'json', layout: Layout): Readable =>
  Readable.from(format === 'csv' ? csv(db, wanted, layout) : json(db, wanted, layout), { objectMode: false })

export const columnsOf = ({ columns = auditColumns, includeDetails }: Layout): AuditColumn[] =>
  columns.filter((column) => includeDetails || column !== 'details')

async function* csv(db: Database, wanted: Wanted, layout: Layout): AsyncGenerator<string> {
  const columns = columnsOf(layout)
  yield `${columns.join(',')}\n`
  yield* pieces(db, wanted, (events) => table(events.map((event) => columns.map((column) => cellsOf[column](event)))))
}

/**
 * Where a spreadsheet would begin a formula: at the beginning of a cell, whatever invisible stands before it, and, when it
 * takes a semicolon for the end of a cell, as in many countries, in the middle of one.
 */
const formula = /^(?=[\t\r\n]|[\s\p{C}]*[=+\-@＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/gu

/** What would be a formula says that it is a text. */
const table = (rows: string[][]): string =>
  stringify(rows, { quoted: true, quoted_empty: true, cast: { string: (text) => text.replaceAll(formula, "'") } })

async function* json(db: Database, wanted: Wanted, layout: Layout): AsyncGenerator<string> {
  const columns = columnsOf(layout)
  const view = (event: EventRow) =>
    layout.columns
      ? Object.fromEntries(columns.map((column) => [column, cellsOf[column](event)]))
      : fullEvent(event, layout.includeDetails)
  let total = 0
  yield '{"data":['
  yield* pieces(db, wanted, (events) => {
    const comma = total > 0 ? ',' : ''
    total += events.length
    return comma + events.map((event) => JSON.stringify(view(event))).join(',')
  })
  yield `],"total":${total}}`
}

async function* pieces(db: Database, wanted: Wanted, write: (events: EventRow[]) => string): AsyncGenerator<string> {
  const walk = new Walk(db, wanted)
  while (!walk.isOver) {
    const seqs: number[] = []
    let looked = 0
    await walk.run(untilDone, (matching, count) => {
      seqs.push(...matching)
      looked += count
      return looked < lookedAt ? 'more' : 'enough'
    })
    for (let at = 0; at < seqs.length; at += written)
      yield await inSteps(untilDone, writing(db, seqs.slice(at, at + written), write))
  }
}

function* writing(db: Database, seqs: readonly number[], write: (events: EventRow[]) => string): Steps<string> {
  let text = ''
  for (let at = 0; at < seqs.length; at += readAtOnce) {
    text += write(eventsOf(db, seqs.slice(at, at + readAtOnce)))
    yield
  }
  return text
}
