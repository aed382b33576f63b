import type { DeviceCommand } from '../../../shared/api/commands.ts'
import type { Tone } from '../../ui/status-dot.tsx'
import { firstLineOf } from './first-line.ts'

const types: Record<string, string> = {
  script: 'Script',
  reboot: 'Restart',
  shutdown: 'Shut down',
  refresh_inventory: 'Refresh inventory',
  self_uninstall: 'Uninstall the agent',
}

type Command = Pick<DeviceCommand, 'type' | 'payload'>

/** The text of a script; null for other commands. */
export const scriptOf = ({ type, payload }: Command): string | null =>
  type === 'script' && typeof payload.content === 'string' ? payload.content : null

const languages: Record<string, string> = { bash: 'Bash', powershell: 'PowerShell' }

export const languageOf = ({ payload }: Command): string | null =>
  typeof payload.language === 'string' ? (languages[payload.language] ?? payload.language) : null

/** The first line of a script, or the type such as `Restart`; an unknown type is shown as it is. */
export function commandTitle(command: Command): string {
  const line = firstLineOf(scriptOf(command) ?? '')
  return line || (types[command.type] ?? command.type)
}

export const commandStatusLabels: Record<DeviceCommand['status'], { word: string; tone: Tone }> = {
  pending: { word: 'Waiting for the device', tone: 'busy' },
  sent: { word: 'Running', tone: 'busy' },
  completed: { word: 'Completed', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Canceled', tone: 'idle' },
}

const nouns: Record<string, string> = {
  script: 'Script',
  reboot: 'Restart',
  shutdown: 'Shutdown',
  refresh_inventory: 'Inventory refresh',
  self_uninstall: 'Uninstall',
}

/** What a command that has not ended waits for, such as `Restart waiting…`. */
export const openCommandText = ({ type, status }: Pick<DeviceCommand, 'type' | 'status'>): string =>
  `${nouns[type] ?? type} ${status === 'pending' ? 'waiting' : 'in progress'}…`

/** `Script failed`. */
export const failedCommandText = ({ type }: Pick<DeviceCommand, 'type'>): string => `${nouns[type] ?? type} failed`

/** How long the command ran, in milliseconds: measured by the device, or else seen by the appliance. */
export function commandDurationMs(command: DeviceCommand): number | null {
  if (typeof command.result?.durationMs === 'number') return command.result.durationMs
  if (!command.executedAt || !command.completedAt) return null
  return Math.max(0, new Date(command.completedAt).getTime() - new Date(command.executedAt).getTime())
}
