import fc from 'fast-check'
import { expect, test } from 'vitest'
import { containsText } from './contains-text.ts'

function through(steps: Generator<void, boolean>): { result: boolean; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next()
    if (step.done) return { result: step.value, pauses }
  }
}

test('a text is found at any position, and one that does not occur is not found', () => {
  fc.assert(
    fc.property(fc.nat(40_000), fc.string({ minLength: 1, maxLength: 1000 }), (at, part) => {
      const text = `${'\u0001'.repeat(at)}${part}${'\u0002'.repeat(100)}`
      expect(through(containsText(text, part)).result).toBe(true)
      expect(through(containsText(text, `${part}\u0003`)).result).toBe(false)
    }),
  )
  expect(through(containsText('', 'a')).result).toBe(false)
  expect(through(containsText('a', 'ab')).result).toBe(false)
})

test('a long text is searched with pauses', () => {
  expect(through(containsText('a'.repeat(64_000), `ab${'a'.repeat(900)}`)).pauses).toBeGreaterThan(5)
})
