import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { sample } from '../contract/samples.ts'

/** The largest value that a schema takes, made from nothing but the schema. */

interface Definition {
  type: string
  checks?: { _zod: { def: { check: string; maximum?: number } } }[]
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
  out?: z.ZodType
  options?: z.ZodType[]
}
const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition

/** Without a shape: many small values take longest to read. */
const freeJson = (characters: number) =>
  Object.fromEntries(Array.from({ length: Math.floor(characters / 14) }, (_, n) => [`k${n}`, [n]]))
const freeJsons = [freeJson(900_000), freeJson(60_000)]

/** Undefined where nothing is known that fits. */
export function largest(schema: z.ZodType): unknown {
  const { type, shape, innerType, in: input, out, options } = definitionOf(schema)
  if (innerType) return largest(innerType)
  if (type === 'pipe' && input && out)
    return fitting(schema, [largest(definitionOf(input).type === 'transform' ? out : input)])
  if (type === 'object') return largestObject(schema, shape ?? {})
  if (type === 'array') return largestArray(schema)
  if (type === 'union') return (options ?? []).map(largest).sort((a, b) => sizeOf(b) - sizeOf(a))[0]
  if (type === 'string') return largestText(schema)
  return fitting(schema, type === 'unknown' || type === 'record' ? freeJsons : [])
}

const sizeOf = (value: unknown) => (JSON.stringify(value) ?? '').length

function fitting(schema: z.ZodType, candidates: unknown[]): unknown {
  const found = candidates.find((value) => schema.safeParse(value).success)
  if (found !== undefined) return found
  try {
    return sample(schema, true)
  } catch {
    return undefined
  }
}

/** The same letter over and over, and at the end another one: a search for it comes far everywhere, and finds nothing. */
export const longText = (characters: number) => `${'a'.repeat(characters - 1)}b`

function largestText(schema: z.ZodType): unknown {
  const { maxLength } = schema as z.ZodString
  return fitting(schema, [...(maxLength ? [longText(maxLength)] : []), randomUUID(), ''])
}

function largestArray(schema: z.ZodType): unknown {
  const { element, checks = [] } = definitionOf(schema)
  const most = checks.find(({ _zod }) => _zod.def.check === 'max_length')?._zod.def.maximum ?? 1000
  const item = largest(element as z.ZodType)
  const isId = (element as z.ZodType).safeParse(randomUUID()).success && !(element as z.ZodString).maxLength
  return fitting(schema, [Array.from({ length: most }, () => (isId ? randomUUID() : item))])
}

/** All there is; what excludes each other is left out. */
function largestObject(schema: z.ZodType, shape: Record<string, z.ZodType>): unknown {
  let value = Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, largest(field)]))
  for (const key of Object.keys(shape)) {
    if (schema.safeParse(value).success) return value
    const { [key]: _, ...rest } = value
    value = rest
  }
  return fitting(schema, [])
}
