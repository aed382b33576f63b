import { expect, test } from 'vitest'
import { LiveOutput } from './live-output.ts'

const piece = (sequence: number, text: string, stream: 'stdout' | 'stderr' = 'stdout') => ({ sequence, stream, text })

test('keeps pieces in order, each once, and tells the streams apart', () => {
  const output = new LiveOutput()
  expect([output.add('a', piece(0, 'one')), output.add('a', piece(1, 'two', 'stderr'))]).toEqual([true, true])
  expect([output.add('a', piece(1, 'again')), output.add('a', piece(0, 'late'))]).toEqual([false, false])
  expect([output.text('a', 'stdout'), output.text('a', 'stderr'), output.text('b', 'stdout')]).toEqual([
    'one',
    'two',
    '',
  ])
  output.forget('a')
  expect(output.of('a')).toEqual([])
})

test.each([
  ['long pieces', 'x'.repeat(60_000), 16],
  ['empty ones', '', 20_000],
])('a flood of %s fills the buffer', (_, text, most) => {
  const output = new LiveOutput()
  for (let sequence = 0; sequence < 30_000; sequence++) output.add('a', piece(sequence, text))
  expect(output.of('a')).toHaveLength(most)
})

test('the command that began first makes room for the five hundred and first', () => {
  const output = new LiveOutput()
  for (let n = 0; n < 501; n++) output.add(`command ${n}`, piece(0, 'x'))
  expect(
    [output.of('command 0'), output.of('command 1'), output.of('command 500')].map(({ length }) => length),
  ).toEqual([0, 1, 1])
})
