import { z } from 'zod'
import { type DeviceRow, deviceSort } from '../../../shared/api/devices.ts'
import { AppError } from '../../platform/errors.ts'
import type { Condition } from './condition.ts'

export interface Order {
  by: z.infer<typeof deviceSort>
  dir: 'asc' | 'desc'
}

/** Each order has an index that also holds the status, which nearly every list asks for. */
export const sortKeys = {
  hostname: { sql: 'devices.hostname COLLATE NOCASE', index: 'devices_hostname' },
  lastSeen: { sql: 'devices.last_seen_at', index: 'devices_last_seen' },
  enrolled: { sql: 'devices.enrolled_at', index: 'devices_enrolled' },
}

const cursorShape = z.object({
  v: z.literal(1),
  sort: deviceSort,
  sortDir: z.enum(['asc', 'desc']),
  k: z.string().nullable(),
  id: z.string(),
})

/** Where a row stands in an order: its sort key, then its id. */
export interface ListPosition {
  k: string | null
  id: string
}

/** The rows after a position. Nulls come first ascending, as SQLite sorts them. */
export function after({ k, id }: ListPosition, order: Order): Condition {
  const { sql } = sortKeys[order.by]
  const isAscending = order.dir === 'asc'
  if (k === null)
    return isAscending
      ? { sql: `(${sql} IS NOT NULL OR devices.id > ?)`, parameters: [id] }
      : { sql: `(${sql} IS NULL AND devices.id > ?)`, parameters: [id] }
  return isAscending
    ? // The first half lets the index begin at the cursor.
      { sql: `${sql} >= ? AND (${sql} > ? OR devices.id > ?)`, parameters: [k, k, id] }
    : { sql: `(${sql} < ? OR (${sql} = ? AND devices.id > ?) OR ${sql} IS NULL)`, parameters: [k, k, id] }
}

const keyOf = (row: DeviceRow, by: Order['by']): string | null =>
  ({ hostname: row.hostname, lastSeen: row.lastSeenAt, enrolled: row.enrolledAt })[by]

export const encodeCursor = (row: DeviceRow, { by, dir }: Order): string =>
  Buffer.from(JSON.stringify({ v: 1, sort: by, sortDir: dir, k: keyOf(row, by), id: row.id })).toString('base64url')

/** @throws AppError `invalid_cursor`, also for the cursor of another order */
export function decodeCursor(text: string, order: Order): ListPosition {
  try {
    const cursor = cursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    if (cursor.sort !== order.by || cursor.sortDir !== order.dir) throw new Error('another order')
    return cursor
  } catch (error) {
    throw new AppError('invalid_cursor', {}, { cause: error })
  }
}
