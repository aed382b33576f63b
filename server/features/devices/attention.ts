import { attentionHours, type DeviceAttention, diskFullPercent } from '../../../shared/api/devices.ts'
import { hour, iso, minute } from '../../platform/clock.ts'
import type { Condition } from './condition.ts'

/** To the minute, so that a total can be kept for that long. */
export const attentionBegins = (now: number) => iso(Math.floor((now - attentionHours * hour) / minute) * minute)

/** The devices that need attention for a reason. */
export function needsAttention(reason: DeviceAttention, now: number): Condition {
  switch (reason) {
    case 'went_offline':
      return { sql: `devices.status = 'offline' AND devices.last_seen_at >= +?`, parameters: [attentionBegins(now)] }
    case 'disk_full':
      return { sql: `devices.disk_percent >= ${diskFullPercent}`, parameters: [] }
    case 'command_failed':
      return {
        sql: `devices.id IN (
          SELECT device_id FROM device_commands INDEXED BY device_commands_failed
          WHERE status = 'failed' AND completed_at >= +?
        )`,
        parameters: [attentionBegins(now)],
      }
    case 'restart_pending':
      return { sql: 'devices.pending_reboot = 1', parameters: [] }
  }
}

/** The index that finds them; what failed commands name is found by the id. */
export const attentionIndexes = {
  went_offline: 'INDEXED BY devices_status',
  disk_full: 'INDEXED BY devices_disk_full',
  command_failed: '',
  restart_pending: 'INDEXED BY devices_restart_pending',
} as const satisfies Record<DeviceAttention, string>
