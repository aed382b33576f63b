import { z } from 'zod'
import { isRecord } from '../../shared/objects.ts'

/**
 * Turns a reply into JSON with exactly the keys its contract lists, so that a column added to a table never leaks.
 * The contract is walked once, into a function that copies the listed keys; V8's own `JSON.stringify` does the rest
 * (on Node 24 that is faster than serializers generated from a JSON Schema).
 */
export function compileSerializer(schema: z.core.$ZodType): (value: unknown) => string {
  const pick = compilePicker(schema)
  return pick ? (value) => JSON.stringify(pick(value)) : (value) => JSON.stringify(value)
}

type Picker = (value: unknown) => unknown
/** What has no keys of its own, or says that any key may pass. */
const open = new Set([
  'string',
  'number',
  'int',
  'boolean',
  'null',
  'literal',
  'enum',
  'unknown',
  'any',
  'template_literal',
])

/** Null where the value may be copied as it is, because nothing in it is a closed object. */
function compilePicker(schema: z.core.$ZodType): Picker | null {
  if (schema instanceof z.ZodObject) return isOpen(schema) ? null : pickObject(schema.shape)
  if (schema instanceof z.ZodArray) return pickArray(schema.element)
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch ||
    schema instanceof z.ZodDefault
  )
    return pickPresent(schema.def.innerType)
  if (schema instanceof z.ZodPipe) return compilePicker(schema.in)
  if (schema instanceof z.ZodUnion) return pickUnion(schema)
  if (schema instanceof z.ZodRecord) return pickRecord(schema.valueType)
  const { type } = schema._zod.def
  if (!open.has(type)) throw new Error(`A reply cannot hold a ${type}`)
  return null
}

const isOpen = ({ def: { catchall } }: z.ZodObject): boolean =>
  catchall !== undefined && catchall._zod.def.type !== 'never'

function pickObject(shape: Readonly<Record<string, z.core.$ZodType>>): Picker {
  const names: string[] = []
  const pickers: Picker[] = []
  const fields = Object.entries(shape).map(([key, field]) => {
    const name = JSON.stringify(key)
    const picker = compilePicker(field)
    if (!picker) return `${name}: row[${name}]`
    names.push(`p${pickers.length}`)
    pickers.push(picker)
    return `${name}: ${names.at(-1)}(row[${name}])`
  })
  // The keys come from our own contracts; written out, they become one fixed hidden class.
  return new Function(...names, `return function pick(row) { return { ${fields.join(', ')} } }`)(...pickers)
}

function pickArray(element: z.core.$ZodType): Picker | null {
  const picker = compilePicker(element)
  if (!picker) return null
  return (rows) => {
    if (!Array.isArray(rows)) throw new Error('A reply is not the list that its contract says')
    return rows.map((row) => picker(row))
  }
}

function pickRecord(value: z.core.$ZodType): Picker | null {
  const picker = compilePicker(value)
  if (!picker) return null
  return (record) => {
    if (!isRecord(record)) throw new Error('A reply is not the record that its contract says')
    return Object.fromEntries(Object.entries(record).map(([key, inner]) => [key, picker(inner)]))
  }
}

function pickPresent(inner: z.core.$ZodType): Picker | null {
  const picker = compilePicker(inner)
  return picker ? (value) => (value === null || value === undefined ? value : picker(value)) : null
}

function pickUnion(union: z.ZodUnion): Picker | null {
  const pickers = union.options.map(compilePicker)
  if (pickers.every((picker) => picker === null)) return null
  if (!(union instanceof z.ZodDiscriminatedUnion))
    throw new Error('A union of objects in a reply needs a discriminator')
  const { discriminator } = union.def
  const byValue = new Map<unknown, Picker | null>()
  for (const [index, option] of union.options.entries()) {
    const values = option instanceof z.ZodObject ? option.shape[discriminator]?._zod.values : undefined
    if (!values?.size) throw new Error(`A union in a reply has an option without a known ${discriminator}`)
    for (const value of values) byValue.set(value, pickers[index] ?? null)
  }
  return (value) => {
    const picker = isRecord(value) ? byValue.get(value[discriminator]) : undefined
    if (!picker) throw new Error(`A reply has an unknown ${discriminator}`)
    return picker(value)
  }
}
