import type { Endpoint } from '../../shared/endpoint.ts'
import { ApiError, validationError } from './api-error.ts'

/**
 * A factor is verified by the dialog's own call, a password is sent with the repeated call, and a sign-in through the
 * identity provider leaves the page.
 */
export interface StepUpPrompt {
  kind: 'factor' | 'password' | 'sign-in'
  /** Why the last answer was refused. */
  refusal: ApiError | null
}
export interface StepUpAnswer {
  currentPassword?: string
}

/** Throws the error that the server would send for an invalid body. */
export function assertValidBody(schema: Endpoint['body'], body: unknown) {
  const { error } = schema?.safeParse(body) ?? {}
  if (error) throw validationError(error)
}

/** Null if no step-up would help. A factor is asked for once per call, a password until it is right. */
export function stepUpPromptFor(error: unknown, prompted: ReadonlySet<StepUpPrompt['kind']>): StepUpPrompt | null {
  if (!(error instanceof ApiError)) return null
  const { status, code } = error
  if (code === 'MFA_REQUIRED' || code === 'existing_factor_step_up_required')
    return prompted.has('factor') ? null : { kind: 'factor', refusal: null }
  if (code === 'sign_in_again') return { kind: 'sign-in', refusal: error }
  if (code === 'password_required') return { kind: 'password', refusal: null }
  const isWrongAnswer = status === 400 && code === 'invalid_credentials' && prompted.has('password')
  return isWrongAnswer ? { kind: 'password', refusal: error } : null
}
