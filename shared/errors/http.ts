/** What every endpoint may answer. */
export const httpErrors = {
  validation_failed: { status: 400, error: 'Validation failed' },
  malformed_json: { status: 400, error: 'Malformed JSON in request body' },
  bad_request: { status: 400, error: 'Bad request' },
  no_updates: { status: 400, error: 'No updates provided' },
  invalid_cursor: { status: 400, error: 'Invalid or malformed cursor' },
  https_required: { status: 400, error: 'This port speaks HTTPS' },
  unsupported_encoding: { status: 400, error: 'The request body could not be decompressed' },
  not_found: { status: 404, error: 'Not Found' },
  payload_too_large: { status: 413, error: 'Request body is too large' },
  unsupported_media_type: { status: 415, error: 'Unsupported media type' },
  rate_limited: { status: 429, error: 'Too many requests' },
  internal: { status: 500, error: 'Internal Server Error' },
  unavailable: { status: 503, error: 'Service temporarily unavailable' },
} as const
