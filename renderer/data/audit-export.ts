import { exportAuditLog } from '../../shared/api/audit-log.ts'
import { api } from '../lib/api.ts'
import { receivedFile } from '../lib/received-file.ts'
import type { LogFilters } from './audit-log.ts'

export type ExportFormat = 'csv' | 'json'

interface ExportRequest {
  filters: LogFilters
  format: ExportFormat
  includeDetails: boolean
}

/** All matching events as a file. */
export async function exportEvents(
  request: ExportRequest,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const { org, from, to, ...filters } = request.filters
  const { format, includeDetails } = request
  const body = { format, includeDetails, filters: { ...filters, orgId: org }, dateRange: { from, to } }
  const response = await api.open(exportAuditLog, { body }, signal)
  return receivedFile(response, format === 'csv' ? 'text/csv' : 'application/json', signal, onBytes)
}
