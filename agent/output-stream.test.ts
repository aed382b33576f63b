import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createOutputStream, type OutputPiece } from './output-stream.ts'

function makeStream() {
  const sent: OutputPiece[] = []
  return { sent, stream: createOutputStream((piece) => void sent.push(piece)) }
}

test('joins output that comes close together, in order across both streams', async () => {
  const { sent, stream } = makeStream()
  stream.push('stdout', 'a')
  stream.push('stdout', 'b')
  stream.push('stderr', 'c')
  stream.push('stdout', 'd')
  await setTimeout(200)
  stream.push('stdout', 'e')
  stream.close()
  expect(sent.map(({ sequence, stream: name, text }) => `${sequence} ${name} ${text}`)).toEqual([
    '0 stdout ab',
    '1 stderr c',
    '2 stdout d',
    '3 stdout e',
  ])
})

test('cuts long output into pieces of at most 32 KB without splitting a character', () => {
  const { sent, stream } = makeStream()
  const text = `x${'🙂'.repeat(20_000)}${'€'.repeat(20_000)}`
  stream.push('stdout', text)
  stream.close()
  expect(sent.map((piece) => piece.text).join('')).toBe(text)
  for (const piece of sent) {
    expect(Buffer.byteLength(piece.text)).toBeLessThanOrEqual(32 * 1024)
    expect(piece.text.isWellFormed()).toBe(true)
  }
})
