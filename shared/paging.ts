import { z } from 'zod'
import { uuid } from './fields.ts'

/** A page number: from 1, and 1 for nonsense. */
export const pageNumber = z
  .string()
  .optional()
  .transform((text) => Math.max(1, toInt(text) ?? 1))

/** How many rows: from 1 to `max`, and `fallback` for nonsense. */
export const pageLimit = (fallback: number, max: number) =>
  z
    .string()
    .optional()
    .transform((text) => Math.min(max, Math.max(1, toInt(text) ?? fallback)))

/** Longer texts make a search slow and find nothing more. */
export const maxSearchCharacters = 100
export const searchText = z.string().max(maxSearchCharacters, `Search for at most ${maxSearchCharacters} characters`)
/** Of a name that is looked for, and may be longer, the beginning. */
export const searchable = (name: string): string => name.slice(0, maxSearchCharacters)

/** The tenant lists' convention. */
export const pageQuery = { page: pageNumber, limit: pageLimit(50, 100) }

export const toInt = (text: string | undefined): number | undefined =>
  text !== undefined && /^[+-]?\d{1,9}$/.test(text.trim()) ? Number(text) : undefined

export const pagination = z.object({ page: z.int(), limit: z.int(), total: z.int() })

export const paged = <Row extends z.ZodType>(row: Row) => z.object({ data: z.array(row), pagination })

/** A comma list of ids in a query string. */
export const uuidList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .pipe(z.array(uuid).max(500))

export const queryFlag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')
