import { expect, test } from 'vitest'
import { LiveOutput } from './live-output.ts'

const piece = (sequence: number, text: string, stream: 'stdout' | 'stderr' = 'stdout') => ({ sequence, stream, text })

test('output pieces are kept in order, each once, separately for stdout and stderr', () => {
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
])('the buffer keeps a limited number of pieces in a flood of %s', (_, text, most) => {
  const output = new LiveOutput()
  for (let sequence = 0; sequence < 30_000; sequence++) output.add('a', piece(sequence, text))
  expect(output.of('a')).toHaveLength(most)
})

test('the 501st command evicts the output of the oldest one', () => {
  const output = new LiveOutput()
  for (let n = 0; n < 501; n++) output.add(`command ${n}`, piece(0, 'x'))
  expect(
    [output.of('command 0'), output.of('command 1'), output.of('command 500')].map(({ length }) => length),
  ).toEqual([0, 1, 1])
})
