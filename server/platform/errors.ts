import type { z } from 'zod'
import { type ErrorBody, type ErrorCode, errorTable, wireCodeOf } from '../../shared/errors/index.ts'
import { isRecord } from '../../shared/objects.ts'
import { type ValidationDetails, validationDetails } from '../../shared/validation-details.ts'

/** A refusal that the caller gets to see. `extra` joins the body; `cause` goes to the log only. */
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

/** One field is wrong, by a rule the contract cannot know. */
export const fieldError = (field: string, message: string) =>
  new AppError('validation_failed', {
    error: `${field}: ${message}`,
    message: `${field}: ${message}`,
    details: { formErrors: [], fieldErrors: { [field]: [message] } },
  })

const isValidationDetails = (value: unknown): value is ValidationDetails =>
  isRecord(value) && Array.isArray(value.formErrors) && isRecord(value.fieldErrors)

/** As clients of some endpoints know it: what is wrong first, without the name of the field. */
export function inBrief(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation_failed') return error
  const { details } = error.extra
  if (!isValidationDetails(details)) return error
  const { formErrors, fieldErrors } = details
  const first = [...formErrors, ...Object.values(fieldErrors).flat()][0]
  return new AppError(error.code, { ...error.extra, error: first, message: first })
}

/** Names every field that is wrong: `error` in one line, `details` by path. */
export function validationError(error: z.core.$ZodError): AppError {
  const { formErrors, fieldErrors } = validationDetails(error.issues)
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
