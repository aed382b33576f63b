import { z } from 'zod'

/** An instant in a query; ignored where it is none. */
export const lenientInstant = z
  .string()
  .max(40)
  .optional()
  .transform((text) => {
    const at = text === undefined ? Number.NaN : Date.parse(text)
    return Number.isNaN(at) ? undefined : new Date(at).toISOString()
  })
