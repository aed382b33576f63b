import type { z } from 'zod'
import type { Endpoint } from '../../shared/endpoint.ts'
import { shapeOf, variantsOf } from './samples.ts'

/** Where in a body something may stand, and the body with something else there. */

export type Path = (string | number)[]

/** Every place in a value that has a value of its own. */
export function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [
    at,
    ...Object.entries(value).flatMap(([key, inner]) =>
      placesIn(inner, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ]
}

export function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((inner, index) => (index === key ? replaced(inner, rest, by) : inner))
  const fields = value as Record<string, unknown>
  return { ...fields, [key]: replaced(fields[key], rest, by) }
}

/** The fields of a body, each with the variant of the body it is a part of. */
export const fieldsOf = ({ body }: Endpoint): { variant: z.ZodType; field: string; schema: z.ZodType }[] =>
  variantsOf(body).flatMap((variant) =>
    Object.entries(shapeOf(variant)).map(([field, schema]) => ({ variant, field, schema })),
  )
