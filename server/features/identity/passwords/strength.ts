import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'
import { passwordProblem } from '../../../../shared/fields.ts'
import { fieldError } from '../../../platform/errors.ts'

/** What a password guards, in words that whoever guesses it tries first: addresses and names. */
export type About = readonly string[]

/** 0 to 4: from 2 on it takes a million guesses and more, which the lock-out and argon2 put out of reach. */
const leastScore = 2

/** With more characters, substitutions or words the estimate takes tens of milliseconds in which nothing else happens. */
const estimator = new ZxcvbnFactory({
  dictionary: {
    passwords: common['passwords-common'],
    words: english['commonWords-en'],
    firstNames: english['firstnames-en'],
  },
  graphs: adjacencyGraphs,
  translations,
  maxLength: 32,
  l33tMaxSubstitutions: 10,
})

/** Why nobody should choose this password, in a sentence or two; null for a good one. */
export function weaknessOf(password: string, about: About): string | null {
  const broken = passwordProblem(password)
  if (broken) return broken
  // A capital letter keeps the estimator from seeing a sequence, and the rules made everybody put one there.
  const { score, feedback } = estimator.check(password.toLowerCase(), wordsOf(about))
  if (score >= leastScore) return null
  const [advice = ''] = feedback.suggestions
  return `${feedback.warning || 'This password is easy to guess.'} ${advice}`.trim()
}

/** Refuses a weak password by the field it came in. */
export function assertStrong(password: string, about: About, field = 'password'): void {
  const weakness = weaknessOf(password, about)
  if (weakness) throw fieldError(field, weakness)
}

const wordsOf = (about: About): string[] =>
  about
    .map((text) => text.split(/[^\p{L}\p{N}]+/u))
    .flatMap((words) => [words.join(''), ...words])
    .filter((word) => word.length >= 3)
