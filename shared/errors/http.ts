import { type Refusals, versionMismatch } from './refusals.ts'

/** What every endpoint may answer. */
export const httpErrors = {
  validation_failed: { status: 400, error: 'Validation failed', onScreen: 'Some fields need attention.' },
  malformed_json: { status: 400, error: 'Malformed JSON in request body', onScreen: versionMismatch },
  bad_request: { status: 400, error: 'Bad request', onScreen: null },
  no_updates: { status: 400, error: 'No updates provided', onScreen: null },
  invalid_cursor: { status: 400, error: 'Invalid or malformed cursor', onScreen: null },
  https_required: { status: 400, error: 'This port speaks HTTPS', onScreen: null },
  unsupported_encoding: { status: 400, error: 'The request body could not be decompressed', onScreen: null },
  not_found: { status: 404, error: 'Not Found', onScreen: null },
  payload_too_large: { status: 413, error: 'Request body is too large', onScreen: 'That’s too large to send.' },
  unsupported_media_type: { status: 415, error: 'Unsupported media type', onScreen: null },
  rate_limited: { status: 429, error: 'Too many requests', onScreen: 'Too many attempts.' },
  internal: {
    status: 500,
    error: 'Internal Server Error',
    onScreen: 'Internal error. See Homeport’s log under this request ID.',
  },
  unavailable: {
    status: 503,
    error: 'Service temporarily unavailable',
    onScreen: 'Homeport is starting or busy. Try again in a moment.',
  },
} as const satisfies Refusals
