import { z } from 'zod'

/** The tenant lists' convention: `page` from 1, `limit` 50 clamped to 1–100; nonsense means the default. */
export const pageQuery = {
  page: z
    .string()
    .optional()
    .transform((text) => Math.max(1, toInt(text) ?? 1)),
  limit: z
    .string()
    .optional()
    .transform((text) => Math.min(100, Math.max(1, toInt(text) ?? 50))),
}

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
  .pipe(z.array(z.uuid()).max(500))

export const queryFlag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')
