import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'

/** Values that a schema accepts, made from nothing but the schema. */

interface Definition {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
  out?: z.ZodType
  options?: z.ZodType[]
  entries?: Record<string, unknown>
  values?: unknown[]
}
const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition

function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType, type, in: input, out } = definitionOf(schema)
  if (innerType) return unwrapped(innerType)
  if (type !== 'pipe' || !input || !out) return schema
  return unwrapped(definitionOf(input).type === 'transform' ? out : input)
}

/** Of a union of objects, each; else the schema itself. */
export function variantsOf(schema: z.ZodType | undefined): z.ZodType[] {
  if (!schema) return []
  const { type, options } = definitionOf(unwrapped(schema))
  return type === 'union' && options ? options.flatMap(variantsOf) : [schema]
}

/** The fields of an object; of a union of objects, those of all of them. */
export const shapeOf = (schema: z.ZodType | undefined): Record<string, z.ZodType> =>
  Object.assign({}, ...variantsOf(schema).map((variant) => definitionOf(unwrapped(variant)).shape ?? {}))

/** Takes whatever JSON there is; the size of the whole body bounds it. */
export function isFreeJson(schema: z.ZodType): boolean {
  const free = { id: 'x', any: [1, 'x', null] }
  const { success, data } = schema.safeParse(free)
  return success && isDeepStrictEqual(data, free) && definitionOf(unwrapped(schema)).type !== 'object'
}

const scalars: unknown[] = [
  'Sample1a',
  'sample@homeport.test',
  'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11',
  '2027-12-01T00:00:00.000Z',
  'Europe/Berlin',
  '123456',
  '#1a2b3c',
  'DE',
  '+491701234567',
  'https://gateway.homeport.test/send',
  'AC0123456789abcdef0123456789abcdef',
  '0.18.0',
  'linux-amd64',
  '02:30',
  '1',
  'true',
  1,
  6,
  0.5,
  true,
  null,
]

/** A value the schema accepts, with every optional part left out unless `full`. */
export function sample(schema: z.ZodType, full = false): unknown {
  const inner = unwrapped(schema)
  const { type, shape, element, options, entries, values } = definitionOf(inner)
  switch (type) {
    case 'object':
      return sampleObject(inner, shape ?? {}, full)
    case 'array':
      return element ? [sample(element, full)] : []
    case 'union':
      return sample(options?.[0] as z.ZodType, full)
    case 'enum':
      return Object.values(entries ?? {})[0]
    case 'literal':
      return values?.[0]
    case 'record':
      return firstFitting(schema, [{}, { id: 'Sample1a' }])
    default:
      return firstFitting(schema, scalars)
  }
}

function sampleObject(schema: z.ZodType, shape: Record<string, z.ZodType>, full: boolean): unknown {
  const entries = Object.entries(shape)
  const isAsked = (field: z.ZodType) => full || !field.safeParse(undefined).success
  const value = Object.fromEntries(
    entries.filter(([, field]) => isAsked(field)).map(([key, field]) => [key, sample(field, full)]),
  )
  if (full) return value
  const optional = entries.filter(([, field]) => !isAsked(field))
  // A rule about the whole may ask for one of the optional fields.
  return firstFitting(schema, [value, ...optional.map(([key, field]) => ({ ...value, [key]: sample(field) }))])
}

function firstFitting(schema: z.ZodType, candidates: unknown[]): unknown {
  const fitting = candidates.find((value) => schema.safeParse(value).success)
  if (fitting === undefined)
    throw new Error(
      `No sample fits a ${definitionOf(unwrapped(schema)).type} field; add one to test/contract/samples.ts`,
    )
  return fitting
}
