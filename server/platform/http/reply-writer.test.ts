import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEndpoints } from '../../../shared/api/index.ts'
import { compileReplyWriter } from './reply-writer.ts'

const row = z.object({ n: z.int(), name: z.string() })
const rowsOf = (count: number, name = 'Zoë "n" 💾') =>
  Array.from({ length: count }, (_, n) => ({ n, name: `${name} ${n}`, secret: 'not in the contract' }))
const shown = (rows: ReturnType<typeof rowsOf>) => rows.map(({ n, name }) => ({ n, name }))
const read = async (written: string | Promise<Buffer>) => JSON.parse((await written).toString())
/** Far more than any machine writes in a few milliseconds. */
const long = () => rowsOf(150, 'x'.repeat(200_000))

test('a long list is written whole and in order, with the keys of its contract only, and leaves the event loop free', async () => {
  const write = compileReplyWriter(z.object({ data: z.array(row) }))
  const data = long()
  let turns = 0
  const beat = setInterval(() => turns++, 0)
  const written = write({ data, secret: 'nor this' })
  expect(written).toBeInstanceOf(Promise)
  expect(await read(written)).toEqual({ data: shown(data) })
  clearInterval(beat)
  expect(turns).toBeGreaterThan(2)
})

test('long rows behind many short ones leave the event loop free, too', async () => {
  const write = compileReplyWriter(z.object({ data: z.array(row) }))
  const data = [...rowsOf(208), ...long()]
  let turns = 0
  const beat = setInterval(() => turns++, 0)
  expect(await read(write({ data }))).toEqual({ data: shown(data) })
  clearInterval(beat)
  expect(turns).toBeGreaterThan(2)
})

test('a reply that is itself a list, and one with several lists, are written whole with the keys of their contracts', async () => {
  const data = long()
  expect(await read(compileReplyWriter(z.array(row))(data))).toEqual(shown(data))
  const write = compileReplyWriter(z.object({ first: z.array(row), n: z.int(), second: z.array(row) }))
  const [few, none] = [rowsOf(3), rowsOf(0)]
  expect(await read(write({ first: few, n: 1, second: data }))).toEqual({
    first: shown(few),
    n: 1,
    second: shown(data),
  })
  expect(await read(write({ first: none, n: 1, second: none }))).toEqual({ first: [], n: 1, second: [] })
})

test('fields beside a list are kept', async () => {
  const write = compileReplyWriter(z.object({ first: z.string(), data: z.array(row), total: z.int().optional() }))
  for (const data of [rowsOf(1), rowsOf(3000), long()]) {
    expect(await read(write({ first: '"data":[]', data, total: 7, secret: 1 }))).toEqual({
      first: '"data":[]',
      data: shown(data),
      total: 7,
    })
    expect(await read(write({ first: '', data }))).toEqual({ first: '', data: shown(data) })
  }
})

test('a list of up to 50 rows is written as JSON.stringify writes it', async () => {
  const write = compileReplyWriter(z.object({ data: z.array(row) }))
  for (const count of [0, 1, 2, 8, 9, 50])
    expect(String(await write({ data: rowsOf(count) }))).toBe(JSON.stringify({ data: shown(rowsOf(count)) }))
})

test('a reply without a list is written as JSON.stringify writes it', async () => {
  expect(String(await compileReplyWriter(z.object({ data: row }))({ data: rowsOf(1)[0] }))).toBe(
    JSON.stringify({ data: shown(rowsOf(1))[0] }),
  )
})

test('a reply writer compiles for every endpoint', () => {
  for (const { name, reply, content } of allEndpoints)
    if (!content) expect(() => compileReplyWriter(reply), name).not.toThrow()
})
