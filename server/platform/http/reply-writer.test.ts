import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEndpoints } from '../../../shared/api/index.ts'
import { compileReplyWriter } from './reply-writer.ts'

const row = z.object({ n: z.int(), name: z.string() })
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ n, name: `Zoë "${n}" 💾`, secret: 'not in the contract' }))
const shown = (rows: ReturnType<typeof rowsOf>) => rows.map(({ n, name }) => ({ n, name }))
const read = async (written: string | Promise<Buffer>) => JSON.parse((await written).toString())

test('a long list is written in pieces, whole, in order and with nothing but what its contract lists', async () => {
  const write = compileReplyWriter(z.object({ data: z.array(row) }))
  const data = rowsOf(4321)
  const written = write({ data, secret: 'nor this' })
  expect(written).toBeInstanceOf(Promise)
  expect(await read(written)).toEqual({ data: shown(data) })
})

test('what stands beside a long list stays', async () => {
  const write = compileReplyWriter(z.object({ first: z.string(), data: z.array(row), total: z.int().optional() }))
  const data = rowsOf(2001)
  expect(await read(write({ first: '"data":[]', data, total: 7, secret: 1 }))).toEqual({
    first: '"data":[]',
    data: shown(data),
    total: 7,
  })
  expect(await read(write({ first: '', data }))).toEqual({ first: '', data: shown(data) })
})

test('a short list is written at once', async () => {
  const write = compileReplyWriter(z.object({ data: z.array(row) }))
  expect(write({ data: rowsOf(2) })).toBe(JSON.stringify({ data: shown(rowsOf(2)) }))
  expect(write({ data: [] })).toBe('{"data":[]}')
})

test('so is whatever has no list', () => {
  expect(compileReplyWriter(z.object({ data: row }))({ data: rowsOf(1)[0] })).toBe(
    JSON.stringify({ data: shown(rowsOf(1))[0] }),
  )
  expect(compileReplyWriter(z.array(row))(rowsOf(3000))).toBe(JSON.stringify(shown(rowsOf(3000))))
})

test('every reply of the product compiles', () => {
  for (const { name, reply, content } of allEndpoints)
    if (!content) expect(() => compileReplyWriter(reply), name).not.toThrow()
})
