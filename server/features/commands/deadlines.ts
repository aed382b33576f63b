import type { Selectable } from 'kysely'
import { scriptPatienceSeconds } from '../../../shared/api/commands.ts'
import { fromJson } from '../../lib/json.ts'
import { day, hour, minute, second } from '../../platform/clock.ts'
import type { DeviceCommandTable } from './tables.ts'

type Row = Selectable<DeviceCommandTable>

const twoHours = new Set([
  'install_patches',
  'backup_verify',
  'backup_test_restore',
  'backup_cleanup',
  'mssql_backup',
  'hyperv_backup',
  'cis_benchmark',
])
const oneHour = new Set(['vm_restore_from_backup', 'vm_instant_boot', 'bmr_recover', 'mssql_restore', 'hyperv_restore'])
const quick = /^(list_|get_|registry_|file_|network_)/

/** How long the server waits for a command before it gives up; milliseconds. */
function patienceMs({ type, payload }: Pick<Row, 'type' | 'payload'>): number {
  if (type === 'script' || type === 'run_script') {
    const { timeoutSeconds } = fromJson(payload)
    return scriptPatienceSeconds(typeof timeoutSeconds === 'number' ? timeoutSeconds : 300) * second
  }
  if (type === 'software_install') return 7 * day
  if (twoHours.has(type)) return 2 * hour
  if (oneHour.has(type)) return hour
  return quick.test(type) ? 5 * minute : 30 * minute
}

/** Commands that may wait longer for a device to come back; milliseconds. */
const longWaitsMs: Record<string, number> = { reboot: day, shutdown: hour, refresh_inventory: day }

/** How long a command waits for its device to fetch it; milliseconds. */
export const waitMs = (command: Pick<Row, 'type' | 'payload'>): number =>
  longWaitsMs[command.type] ?? patienceMs(command)

/** When to give up on an open command, as an instant in milliseconds. */
export const deadlineOf = (row: Row): number =>
  !row.executed_at && row.expires_at
    ? Date.parse(row.expires_at)
    : Date.parse(row.executed_at ?? row.created_at) + patienceMs(row)

export function timeoutError(row: Row): string {
  const minutes = Math.round((deadlineOf(row) - Date.parse(row.executed_at ?? row.created_at)) / minute)
  return row.status === 'sent'
    ? `Server-side timeout: no response from agent after ${minutes} minutes`
    : `Command expired: agent never received the command (${minutes} min timeout)`
}
