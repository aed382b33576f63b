import { Readable } from 'node:stream'
import { type AuditColumn, auditColumns } from '../../../shared/api/audit-log.ts'
import type { Database } from '../../db/database.ts'
import { csvOf } from '../../lib/csv.ts'
import { inSteps, type Steps, untilDone } from '../../lib/pieces.ts'
import { type EventRow, eventsOf } from './event-rows.ts'
import type { EventQuery } from './filters.ts'
import { LogScan } from './log-scan.ts'
import { cellsOf, fullEvent } from './views.ts'

export interface ExportLayout {
  /** All of them when left out. */
  columns?: readonly AuditColumn[] | undefined
  includeDetails: boolean
}

/** How many events are scanned, and written, before the client has to read them. */
const eventsPerScan = 2000
const eventsPerChunk = 100
/** Details may be long, so few events are read and written in a step. */
const eventsPerStep = 25

/**
 * All events that match, as a stream that searches only as fast as the client reads. It holds no transaction between two
 * chunks, and ends when the client disconnects.
 */
export const exportEvents = (db: Database, query: EventQuery, format: 'csv' | 'json', layout: ExportLayout): Readable =>
  Readable.from(format === 'csv' ? csv(db, query, layout) : json(db, query, layout), { objectMode: false })

export const columnsOf = ({ columns = auditColumns, includeDetails }: ExportLayout): AuditColumn[] =>
  columns.filter((column) => includeDetails || column !== 'details')

async function* csv(db: Database, query: EventQuery, layout: ExportLayout): AsyncGenerator<string> {
  const columns = columnsOf(layout)
  yield `${columns.join(',')}\n`
  yield* chunks(db, query, (events) => csvOf(events.map((event) => columns.map((column) => cellsOf[column](event)))))
}

async function* json(db: Database, query: EventQuery, layout: ExportLayout): AsyncGenerator<string> {
  const columns = columnsOf(layout)
  const view = (event: EventRow) =>
    layout.columns
      ? Object.fromEntries(columns.map((column) => [column, cellsOf[column](event)]))
      : fullEvent(event, layout.includeDetails)
  let total = 0
  yield '{"data":['
  yield* chunks(db, query, (events) => {
    const comma = total > 0 ? ',' : ''
    total += events.length
    return comma + events.map((event) => JSON.stringify(view(event))).join(',')
  })
  yield `],"total":${total}}`
}

async function* chunks(db: Database, query: EventQuery, write: (events: EventRow[]) => string): AsyncGenerator<string> {
  const log = new LogScan(db, query)
  while (!log.isOver) {
    const seqs: number[] = []
    let scanned = 0
    const steps = log.steps((matching, count) => {
      seqs.push(...matching)
      scanned += count
      return scanned < eventsPerScan ? 'more' : 'enough'
    })
    // A scan that finds nothing is short, but a hundred of them in a row are not: each takes a turn.
    await inSteps(untilDone, steps)
    for (let at = 0; at < seqs.length; at += eventsPerChunk)
      yield await inSteps(untilDone, chunk(db, seqs.slice(at, at + eventsPerChunk), write))
  }
}

function* chunk(db: Database, seqs: readonly number[], write: (events: EventRow[]) => string): Steps<string> {
  let text = ''
  for (let at = 0; at < seqs.length; at += eventsPerStep) {
    text += write(eventsOf(db, seqs.slice(at, at + eventsPerStep)))
    yield
  }
  return text
}
