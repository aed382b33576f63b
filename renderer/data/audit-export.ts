import { exportAuditLog } from '../../shared/api/audit-log.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import type { LogFilters } from './audit-log.ts'

export type ExportFormat = 'csv' | 'json'

interface ExportRequest {
  filters: LogFilters
  format: ExportFormat
  includeDetails: boolean
}

/** Excel reads a CSV file as UTF-8 only with it. */
const byteOrderMark = '\uFEFF'

/** All matching events as a file. The total size is unknown while the server streams; `onBytes` gets the bytes so far. */
export async function exportEvents(
  request: ExportRequest,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const { org, from, to, ...filters } = request.filters
  const { format, includeDetails } = request
  const body = { format, includeDetails, filters: { ...filters, orgId: org }, dateRange: { from, to } }
  const response = await api.open(exportAuditLog, { body }, signal)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  try {
    // A response that breaks off throws here and never becomes a shorter file.
    for await (const piece of piecesOf(response)) {
      pieces.push(piece)
      bytes += piece.byteLength
      onBytes(bytes)
    }
  } catch (error) {
    throw signal.aborted ? error : new ApiError(0, 'network')
  }
  return format === 'csv'
    ? new Blob([byteOrderMark, ...pieces], { type: 'text/csv' })
    : new Blob(pieces, { type: 'application/json' })
}

async function* piecesOf({ body }: Response) {
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value
}
