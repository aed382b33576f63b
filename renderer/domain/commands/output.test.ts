import { expect, test } from 'vitest'
import { outputRuns, tailOf } from './output.ts'

const piece = (sequence: number, stream: 'stdout' | 'stderr', text: string) => ({ sequence, stream, text })

test('consecutive pieces of one stream are joined, in their order', () => {
  const output = [piece(0, 'stdout', 'a'), piece(1, 'stdout', 'b'), piece(2, 'stderr', '!'), piece(3, 'stdout', 'c')]
  expect(outputRuns({ output, result: null })).toEqual([
    { stream: 'stdout', text: 'ab' },
    { stream: 'stderr', text: '!' },
    { stream: 'stdout', text: 'c' },
  ])
})

test('without streamed pieces the output of the result is shown', () => {
  expect(outputRuns({ output: [], result: { status: 'completed', stdout: 'x', stderr: '' } })).toEqual([
    { stream: 'stdout', text: 'x' },
  ])
})

test('a long output is cut to its end, from the start of a line', () => {
  const runs = [
    { stream: 'stdout' as const, text: 'first line\nsecond line\n' },
    { stream: 'stderr' as const, text: 'last\n' },
  ]
  expect(tailOf(runs, 1000)).toEqual({ runs, hidden: 0 })
  const { runs: kept, hidden } = tailOf(runs, 20)
  expect(kept).toEqual([
    { stream: 'stdout', text: 'second line\n' },
    { stream: 'stderr', text: 'last\n' },
  ])
  expect(hidden).toBe('first line\n'.length)
})

test('a long output without line breaks is cut within the line', () => {
  const { runs, hidden } = tailOf([{ stream: 'stdout', text: 'x'.repeat(100) }], 30)
  expect(runs).toEqual([{ stream: 'stdout', text: 'x'.repeat(30) }])
  expect(hidden).toBe(70)
})

test('where streaming reached its limit, the output of the result is shown, as it holds more', () => {
  const output = [{ sequence: 0, stream: 'stdout' as const, text: 'begin' }]
  const result = { status: 'completed', stdout: 'begin and end', stderr: '' }
  expect(outputRuns({ output, result })).toEqual([{ stream: 'stdout', text: 'begin and end' }])
})
