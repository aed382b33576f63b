import { day, hour, minute } from '../../platform/clock.ts'

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

/** How long the server waits for a command before it gives up; milliseconds (agent-protocol §7). */
export function patienceMs(type: string, payload: Record<string, unknown>): number {
  if (type === 'script' || type === 'run_script') {
    const seconds = typeof payload.timeoutSeconds === 'number' ? payload.timeoutSeconds : 300
    return seconds * 1000 + 5 * minute
  }
  if (type === 'software_install') return 7 * day
  if (twoHours.has(type)) return 2 * hour
  if (oneHour.has(type)) return hour
  return quick.test(type) ? 5 * minute : 30 * minute
}

/** Commands that may wait for a device to come back; milliseconds. */
export const waitsForDeviceMs: Record<string, number> = { reboot: day, shutdown: hour, refresh_inventory: day }
