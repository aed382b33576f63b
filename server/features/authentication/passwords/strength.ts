import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { dictionary as common, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common'
import { dictionary as german } from '@zxcvbn-ts/language-de'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'
import { passwordProblem } from '../../../../shared/fields.ts'
import { type About, estimateBounds, judgePassword, leastScore } from '../../../../shared/password-strength.ts'
import { fieldError } from '../../../platform/errors.ts'

const estimator = new ZxcvbnFactory({
  dictionary: {
    passwords: common['passwords-common'],
    words: english['commonWords-en'],
    germanWords: german.commonWords,
    firstNames: english['firstnames-en'],
  },
  graphs,
  translations,
  ...estimateBounds,
})

/** Why this password is refused, in a sentence for the user; null for a good one. */
export function weaknessOf(password: string, about: About): string | null {
  const problem = passwordProblem(password)
  if (problem) return problem
  const { score, hint } = judgePassword(password, about, (text, words) => estimator.check(text, words))
  return score >= leastScore ? null : (hint ?? 'This password is easy to guess.')
}

/** @throws AppError `validation_failed` that names `field`, for a weak password */
export function assertStrong(password: string, about: About, field = 'password'): void {
  const weakness = weaknessOf(password, about)
  if (weakness) throw fieldError(field, weakness)
}
