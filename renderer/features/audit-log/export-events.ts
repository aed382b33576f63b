import { exportAuditLog } from '../../../shared/api/audit-log.ts'
import type { LogFilters } from '../../data/audit-log.ts'
import { api } from '../../lib/api.ts'
import { ApiError } from '../../lib/api-error.ts'

export type ExportFormat = 'csv' | 'json'

interface Wish {
  filters: LogFilters
  format: ExportFormat
  includeDetails: boolean
}

/** Without it Excel takes the letters of other languages for something else. */
const byteOrderMark = '\uFEFF'

/** All that match, as a file. The server writes while it reads, so nobody knows how long it will be: `onBytes` tells how far. */
export async function exported(wish: Wish, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<Blob> {
  const { org, from, to, ...filters } = wish.filters
  const { format, includeDetails } = wish
  const body = { format, includeDetails, filters: { ...filters, orgId: org }, dateRange: { from, to } }
  const response = await api.open(exportAuditLog, { body }, signal)
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  try {
    // What was cut off on its way is an error here, never a shorter file.
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
