import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEndpoints } from '../../../shared/api/index.ts'
import { compileReplyWriter } from './reply-writer.ts'

const row = z.object({ n: z.int(), name: z.string() })
const rowsOf = (count: number, name = 'Zoë "n" 💾') =>
  Array.from({ length: count }, (_, n) => ({ n, name: `${name} ${n}`, secret: 'not in the contract' }))
const shown = (rows: ReturnType<typeof rowsOf>) => rows.map(({ n, name }) => ({ n, name }))
const read = async (written: string | Promise<Buffer>) => JSON.parse((await written).toString())
/** Far more than is written in a few milliseconds, by whatever machine. */
const long = () => rowsOf(150, 'x'.repeat(200_000))

test('a long list is written while others get their turn, whole, in order and with nothing but what its contract lists', async () => {
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

test('long rows behind many short ones leave others their turn, too', async () => {
  const write = compileReplyWriter(z.object({ data: z.array(row) }))
  const data = [...rowsOf(208), ...long()]
  let turns = 0
  const beat = setInterval(() => turns++, 0)
  expect(await read(write({ data }))).toEqual({ data: shown(data) })
  clearInterval(beat)
  expect(turns).toBeGreaterThan(2)
})

test('so are a list that is all of the reply, and several in one', async () => {
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

test('what stands beside a list stays', async () => {
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

test('a list of any length is written as a whole one would be', async () => {
  const write = compileReplyWriter(z.object({ data: z.array(row) }))
  for (const count of [0, 1, 2, 8, 9, 50])
    expect(String(await write({ data: rowsOf(count) }))).toBe(JSON.stringify({ data: shown(rowsOf(count)) }))
})

test('so is whatever has no list', async () => {
  expect(String(await compileReplyWriter(z.object({ data: row }))({ data: rowsOf(1)[0] }))).toBe(
    JSON.stringify({ data: shown(rowsOf(1))[0] }),
  )
})

test('every reply of the product compiles', () => {
  for (const { name, reply, content } of allEndpoints)
    if (!content) expect(() => compileReplyWriter(reply), name).not.toThrow()
})
