import type { z } from 'zod'
import type { ErrorBody, ErrorCode } from '../../shared/errors/index.ts'
import { validationDetails } from '../../shared/validation-details.ts'

/** `network`: no reply. `unexpected`: a reply that is not of the API, such as a proxy's error page. */
export type ApiErrorCode = ErrorCode | 'network' | 'unexpected'

/** A refused or failed call. `retryAfter` is in seconds. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: ApiErrorCode
  readonly fieldErrors: Record<string, string[]>
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  /** The full body, since some refusals carry more. */
  readonly body: Partial<ErrorBody>

  constructor(status: number, code: ApiErrorCode, body: Partial<ErrorBody> = {}) {
    super(body.message ?? body.error ?? code)
    this.status = status
    this.code = code
    this.body = body
    this.fieldErrors = (body.details?.fieldErrors as Record<string, string[]> | undefined) ?? {}
    this.requestId = body.requestId
    this.retryAfter = body.retryAfter
  }

  /** Whether the same call may succeed a little later. */
  get isTransient(): boolean {
    return this.code === 'network' || this.status === 429 || this.status >= 500
  }

  /** Whether only the IP address was refused: the session continues at an allowed address. */
  get isForAddress(): boolean {
    return this.status === 403 && (this.code === 'IP_NOT_ALLOWED' || this.code === 'untrusted_ip')
  }
}

/** The error that the server would send for an invalid body. */
export function validationError({ issues }: z.ZodError): ApiError {
  return new ApiError(400, 'validation_failed', { details: validationDetails(issues) })
}

export async function errorFrom(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null
  if (!body || typeof body !== 'object') return new ApiError(response.status, 'unexpected')
  const headerSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(response.status, body.code ?? 'unexpected', {
    ...body,
    retryAfter: body.retryAfter ?? (Number.isFinite(headerSeconds) ? headerSeconds : undefined),
    requestId: body.requestId ?? response.headers.get('x-request-id') ?? undefined,
  })
}
