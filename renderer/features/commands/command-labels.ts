import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { Tone } from '../../ui/status-dot.tsx'

const types: Record<string, string> = {
  script: 'Script',
  reboot: 'Reboot',
  shutdown: 'Shut down',
  refresh_inventory: 'Refresh inventory',
}

const languages: Record<string, string> = { bash: 'Bash', powershell: 'PowerShell' }

/** Such as `Bash script` or `Reboot`; an unknown type is shown as it is. */
export function commandTitle({ type, payload }: Pick<DeviceCommand, 'type' | 'payload'>): string {
  if (type === 'script') return `${languages[String(payload.language)] ?? ''} script`.trimStart()
  return types[type] ?? type
}

export const commandStatusLabels: Record<DeviceCommand['status'], { word: string; tone: Tone }> = {
  pending: { word: 'Waiting for the device', tone: 'busy' },
  sent: { word: 'Running', tone: 'busy' },
  completed: { word: 'Completed', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Canceled', tone: 'idle' },
}

/** How long the command ran, in milliseconds: measured by the device, or else seen by the appliance. */
export function commandDurationMs(command: DeviceCommand): number | null {
  if (typeof command.result?.durationMs === 'number') return command.result.durationMs
  if (!command.executedAt || !command.completedAt) return null
  return Math.max(0, new Date(command.completedAt).getTime() - new Date(command.executedAt).getTime())
}
