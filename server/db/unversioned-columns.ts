import type { TableName } from './database.ts'

/**
 * Columns no cached answer depends on, because they are written far more often than they are asked for. A write to only
 * these leaves the version of the table as it is.
 */
export const unversionedColumns: Partial<Record<TableName, readonly string[]>> = {
  devices: ['last_seen_at', 'uptime_seconds', 'cpu_percent', 'ram_percent', 'metrics_at'],
  api_keys: ['usage_count', 'last_used_at'],
}
