import { assessPassword } from '../../../../shared/assess-password.ts'
import { passwordProblem } from '../../../../shared/fields.ts'
import { type About, leastScore } from '../../../../shared/password-strength.ts'
import { fieldError } from '../../../platform/errors.ts'

/** Why this password is refused, in a sentence for the user; null for a good one. */
export function weaknessOf(password: string, about: About): string | null {
  const problem = passwordProblem(password)
  if (problem) return problem
  const { score, hint } = assessPassword(password, about)
  return score >= leastScore ? null : (hint ?? 'This password is easy to guess.')
}

/** @throws AppError `validation_failed` that names `field`, for a weak password */
export function assertStrong(password: string, about: About, field = 'password'): void {
  const weakness = weaknessOf(password, about)
  if (weakness) throw fieldError(field, weakness)
}
