import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { describeEnd, followErrors } from './last-words.ts'

test('the error of an uncaught exception is the reason, not its stack', () => {
  const output = [
    'file:///app/dist/server/index.js:10',
    "throw new Error('x')",
    '^',
    '',
    'Error [ERR_TAKEN]: The port 8443 is taken',
    '    at main (file:///app/dist/server/index.js:10:3)',
    '',
    'Node.js v24.21.0',
    '',
  ].join('\n')
  expect(describeEnd(1, output)).toBe('The server ended with code 1: Error [ERR_TAKEN]: The port 8443 is taken')
})

test('the line in which the server says why it could not start is the reason, not what follows it', () => {
  expect(describeEnd(1, "Homeport could not start: Cannot find module 'x'\nRequire stack:\n- /app/index.js\n")).toBe(
    "The server ended with code 1: Homeport could not start: Cannot find module 'x'",
  )
})

test('without an exception the last line written is the reason', () => {
  expect(describeEnd(2, 'warming up\nThe database is in use by another process.\n')).toBe(
    'The server ended with code 2: The database is in use by another process.',
  )
})

test('without any output the exit code, or that it was killed, is the reason', () => {
  expect(describeEnd(7, '')).toBe('The server ended with code 7.')
  expect(describeEnd(null, '\n')).toBe('The server was killed.')
})

test('only the end of a long error output is kept, all of it is passed on', async () => {
  const passedOn: string[] = []
  const stream = Readable.from(['a'.repeat(10_000), 'Error: last'])
  const tail = followErrors(stream, (text) => passedOn.push(text))
  await finished(stream)
  expect(tail()).toHaveLength(8_192)
  expect(tail().endsWith('Error: last')).toBe(true)
  expect(passedOn.join('')).toHaveLength(10_011)
})
