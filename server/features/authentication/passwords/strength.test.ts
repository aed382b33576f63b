import { expect, test } from 'vitest'
import { assertStrong, weaknessOf } from './strength.ts'

const about = ['ada@zumkeller.test', 'Ada Lovelace', 'Zumkeller Werke']

test.each([
  'Correct1Horse',
  'Swordfish4Ever',
  'Lantern-dev-42',
  'Sixteen letters 1',
  'über den 7 Wolken'.replace('ü', 'Ü'),
])('the password %s is accepted', (password) => {
  expect(weaknessOf(password, about)).toBeNull()
})

test.each([
  ['short1A', 'at least 8'],
  ['nouppercase1', 'uppercase'],
  ['Password123', 'common words'],
  ['P@ssw0rd1', 'common words'],
  ['Football123', 'commonly used'],
  ['Qwertz123', 'common words'],
  ['Aaaaaaaa1', 'easy to guess'],
  ['Abcdefgh1', 'easy to guess'],
  [`Aa1${'a'.repeat(120)}`, 'Repeated'],
])('the password %s is refused: %s', (password, why) => {
  expect(weaknessOf(password, about)).toMatch(new RegExp(`${why}.*`))
})

test.each(['Zumkeller1', 'Adalovelace1', 'Zumkellerwerke1'])(
  'the password %s is refused only for a user whose name, email or company it contains',
  (password) => {
    expect(weaknessOf(password, about)).not.toBeNull()
    expect(weaknessOf(password, [])).toBeNull()
  },
)

test('a weak password is refused with validation_failed under the name of its field', () => {
  expect(() => assertStrong('Password123', [], 'newPassword')).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      extra: expect.objectContaining({
        details: { formErrors: [], fieldErrors: { newPassword: [expect.stringContaining('common words')] } },
      }),
    }),
  )
})

// Without its bounds the estimator takes 150 to 400 ms for each of these.
test('checking a long repetitive password takes less than 20 ms of CPU time on average', () => {
  const alphabets = [
    '4@5$1!0',
    'a@4$s5',
    'abcABC123',
    '1234567890',
    'aA1',
    '2012',
    '([<{|1!7',
    'P4$$w0rd',
    'xX',
    'ada4$',
  ]
  const passwords = alphabets.map((alphabet) => `Aa1${alphabet.repeat(60).slice(0, 125)}`)
  for (const password of passwords) weaknessOf(password, about)
  const before = process.threadCpuUsage()
  for (const password of passwords) weaknessOf(password, about)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000 / passwords.length).toBeLessThan(20)
})
