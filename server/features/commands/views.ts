import type { Selectable } from 'kysely'
import type { DeviceCommand } from '../../../shared/api/commands.ts'
import { fromJson } from '../../lib/json.ts'
import type { DeviceCommandTable } from './tables.ts'

export type CommandRow = Selectable<DeviceCommandTable> & { created_by_name: string | null }

export const commandView = (row: CommandRow): DeviceCommand => ({
  id: row.id,
  deviceId: row.device_id,
  type: row.type,
  payload: fromJson(row.payload),
  status: row.status,
  createdBy: row.created_by,
  createdByName: row.created_by_name,
  createdAt: row.created_at,
  executedAt: row.executed_at,
  completedAt: row.completed_at,
  expiresAt: row.expires_at,
  result: row.result === null ? null : fromJson(row.result),
})
