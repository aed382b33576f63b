import type { Endpoint } from '../../shared/endpoint.ts'
import { ApiError, validationError } from './api-error.ts'

/**
 * The second factor, shown to the server by whoever answers; the password, which goes with the call; or a sign-in
 * through the identity provider, which leaves the page.
 */
export interface StepUpPrompt {
  kind: 'factor' | 'password' | 'sign-in'
  /** Why the last answer was not taken. */
  refusal: ApiError | null
}
export interface StepUpAnswer {
  currentPassword?: string
}

/** Throws what the server would say of a body that breaks its contract. */
export function assertValidBody(schema: Endpoint['body'], body: unknown) {
  const { error } = schema?.safeParse(body) ?? {}
  if (error) throw validationError(error)
}

/** Null when no proof would help. A factor is asked for once a call, a password until it is right. */
export function stepUpPromptFor(error: unknown, asked: ReadonlySet<StepUpPrompt['kind']>): StepUpPrompt | null {
  if (!(error instanceof ApiError)) return null
  const { status, code } = error
  if (code === 'MFA_REQUIRED' || code === 'existing_factor_step_up_required')
    return asked.has('factor') ? null : { kind: 'factor', refusal: null }
  if (code === 'sign_in_again') return { kind: 'sign-in', refusal: error }
  if (code === 'password_required') return { kind: 'password', refusal: null }
  const isWrongAnswer = status === 400 && code === 'invalid_credentials' && asked.has('password')
  return isWrongAnswer ? { kind: 'password', refusal: error } : null
}
