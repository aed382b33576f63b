import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEndpoints } from '../../shared/api/index.ts'
import { times } from '../../test/helpers/thorough.ts'
import { compileSerializer } from './serialize.ts'

interface Case {
  schema: z.ZodType
  /** A value of the schema, with a key the schema does not know in every object. */
  value: unknown
  /** What the reply may contain. */
  expected: unknown
}

const scalar: fc.Arbitrary<Case> = fc.oneof(
  fc.string().map((value) => ({ schema: z.string(), value, expected: value })),
  fc.integer().map((value) => ({ schema: z.int(), value, expected: value })),
  fc.boolean().map((value) => ({ schema: z.boolean(), value, expected: value })),
  fc.constant({ schema: z.null(), value: null, expected: null }),
)
const fieldName = fc.constantFrom('id', 'name', 'a-b', 'in', 'constructor', 'ünï', 'with "quotes"', '1')
const leak = { leakedColumn: 'leaked' }

const cases = fc.letrec<{ any: Case; object: Case; tagged: Case }>((tie) => ({
  object: fc.dictionary(fieldName, tie('any'), { maxKeys: 4 }).map((fields) => ({
    schema: z.object(Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema]))),
    value: { ...Object.fromEntries(Object.entries(fields).map(([key, { value }]) => [key, value])), ...leak },
    expected: Object.fromEntries(Object.entries(fields).map(([key, { expected }]) => [key, expected])),
  })),
  tagged: fc.tuple(tie('any'), tie('any'), fc.boolean()).map(([one, two, isOne]) => {
    const chosen = isOne ? one : two
    return {
      schema: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('one'), inner: one.schema }),
        z.object({ kind: z.enum(['two', 'three']), inner: two.schema }),
      ]),
      value: { kind: isOne ? 'one' : 'three', inner: chosen.value, ...leak },
      expected: { kind: isOne ? 'one' : 'three', inner: chosen.expected },
    }
  }),
  any: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    tie('object'),
    tie('tagged'),
    fc.tuple(tie('any'), fc.nat({ max: 3 })).map(([{ schema, value, expected }, n]) => ({
      schema: z.array(schema),
      value: Array(n).fill(value),
      expected: Array(n).fill(expected),
    })),
    fc.tuple(tie('any'), fc.boolean()).map(([one, isThere]) => ({
      schema: one.schema.nullable(),
      value: isThere ? one.value : null,
      expected: isThere ? one.expected : null,
    })),
    tie('any').map((one) => ({ ...one, schema: one.schema.optional() })),
    tie('any').map((one) => ({ ...one, schema: one.schema.readonly() })),
    tie('any').map(({ schema, value, expected }) => ({
      schema: z.record(z.string(), schema),
      value: { x: value, y: value },
      expected: { x: expected, y: expected },
    })),
  ),
}))

test('a serialized reply holds exactly what its contract lists, for any contract', () => {
  fc.assert(
    fc.property(cases.any, ({ schema, value, expected }) => {
      const text = compileSerializer(schema)(value)
      expect(text).not.toContain('leaked')
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected)))
    }),
    { numRuns: times(500, 100) },
  )
})

test('an optional field that is missing stays missing', () => {
  const serialize = compileSerializer(z.object({ a: z.string().optional(), b: z.object({ c: z.int() }).optional() }))
  expect(serialize({})).toBe('{}')
  expect(serialize({ b: { c: 1, d: 2 } })).toBe('{"b":{"c":1}}')
})

test('values that a contract leaves open are passed on unchanged', () => {
  const serialize = compileSerializer(z.object({ settings: z.record(z.string(), z.unknown()), any: z.unknown() }))
  const value = { settings: { a: { b: [1] } }, any: { c: null } }
  expect(JSON.parse(serialize({ ...value, ...leak }))).toEqual(value)
})

test('a union without a discriminator, or an unsupported type, does not compile to a serializer', () => {
  const one = z.object({ a: z.string() })
  expect(() => compileSerializer(z.union([one, z.object({ b: z.string() })]))).toThrow('discriminator')
  for (const schema of [
    z.map(z.string(), one),
    z.set(one),
    z.tuple([one]),
    z.lazy(() => one),
    z.intersection(one, one),
  ])
    expect(() => compileSerializer(schema)).toThrow('A reply cannot hold')
})

test('a union of unions without a common discriminator does not compile to a serializer', () => {
  const inner = z.discriminatedUnion('b', [z.object({ a: z.literal(1), b: z.literal(1) })])
  expect(() => compileSerializer(z.discriminatedUnion('a', [inner, z.object({ a: z.literal(2) })]))).toThrow('known a')
})

test('a value outside of its union is an error and does not leak', () => {
  const schema = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
  expect(() => compileSerializer(schema)({ kind: 'c', secret: 1 })).toThrow('unknown kind')
})

test('a serializer compiles for the reply of every endpoint', () => {
  for (const { name, reply, content } of allEndpoints)
    if (!content) expect(() => compileSerializer(reply), name).not.toThrow()
})
