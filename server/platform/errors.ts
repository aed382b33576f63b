import type { z } from 'zod'
import { type ErrorBody, type ErrorCode, errorTable, wireCodeOf } from '../../shared/errors.ts'

/** A refusal the caller is told about. `extra` joins the body; `cause` goes to the log only. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly extra: Record<string, unknown>

  constructor(code: ErrorCode, extra: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(errorTable[code].error, options)
    this.code = code
    this.extra = extra
  }

  get status(): number {
    return errorTable[this.code].status
  }

  body(): ErrorBody {
    return { error: this.message, message: this.message, code: wireCodeOf(this.code), ...this.extra }
  }
}

export const rateLimited = (code: ErrorCode, retryAfterMs: number) =>
  new AppError(code, { retryAfter: Math.max(1, Math.ceil(retryAfterMs / 1000)) })

/** Names every field that is wrong: `error` in one line, `details` by path. */
export function validationError(error: z.core.$ZodError): AppError {
  const formErrors: string[] = []
  const fieldErrors: Record<string, string[]> = {}
  for (const issue of error.issues.slice(0, 50)) {
    const path = issue.path.join('.')
    if (path === '') formErrors.push(issue.message)
    else fieldErrors[path] = [...(fieldErrors[path] ?? []), issue.message]
  }
  const lines = [
    ...formErrors,
    ...Object.entries(fieldErrors).flatMap(([path, messages]) => messages.map((message) => `${path}: ${message}`)),
  ]
  return new AppError('validation_failed', {
    error: lines.join('; '),
    message: lines.join('; '),
    details: { formErrors, fieldErrors },
  })
}
