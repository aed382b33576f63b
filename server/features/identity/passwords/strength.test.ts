import { expect, test } from 'vitest'
import { assertStrong, weaknessOf } from './strength.ts'

const about = ['ada@zumkeller.test', 'Ada Lovelace', 'Zumkeller Werke']

test.each([
  'Correct1Horse',
  'Swordfish4Ever',
  'Homeport-dev-1',
  'Sixteen letters 1',
  'über den 7 Wolken'.replace('ü', 'Ü'),
])('%s is good enough', (password) => {
  expect(weaknessOf(password, about)).toBeNull()
})

test.each([
  ['short1A', 'at least 8'],
  ['nouppercase1', 'upper-case'],
  ['Password123', 'commonly used'],
  ['P@ssw0rd1', 'commonly used'],
  ['Qwertz123', 'easy to guess'],
  ['Aaaaaaaa1', 'easy to guess'],
  ['Abcdefgh1', 'easy to guess'],
  [`Aa1${'a'.repeat(120)}`, 'Repeated'],
])('%s is refused: %s', (password, why) => {
  expect(weaknessOf(password, about)).toMatch(new RegExp(`${why}.*`))
})

test.each(['Zumkeller1', 'Adalovelace1', 'Zumkellerwerke1'])(
  '%s is made of what everybody knows about its owner',
  (password) => {
    expect(weaknessOf(password, about)).not.toBeNull()
    expect(weaknessOf(password, [])).toBeNull()
  },
)

test('the refusal names the field', () => {
  expect(() => assertStrong('Password123', [], 'newPassword')).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      extra: expect.objectContaining({
        details: { formErrors: [], fieldErrors: { newPassword: [expect.stringContaining('commonly used')] } },
      }),
    }),
  )
})

test('no password holds everybody else up', () => {
  const alphabets = ['4@5$1!0', 'a@4$s5', 'abcABC123', '1234567890', 'aA1', '2012', '([<{|1!7', 'P4$$w0rd', 'xX']
  const times: number[] = []
  for (let round = 0; round < 4; round++)
    for (const alphabet of alphabets) {
      const password = `Aa1${Array.from({ length: 125 }, (_, n) => alphabet[(n * 7 + round * n * n) % alphabet.length]).join('')}`
      const startedAt = performance.now()
      weaknessOf(password, about)
      times.push(performance.now() - startedAt)
    }
  const [median = 0] = times.sort((a, b) => a - b).slice(times.length / 2)
  expect(median).toBeLessThan(10)
})
