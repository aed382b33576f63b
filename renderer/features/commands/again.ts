import type { DeviceCommand } from '../../../shared/api/commands.ts'
import { scriptOf } from '../../domain/commands/command-labels.ts'

const repeatable = ['reboot', 'shutdown', 'refresh_inventory'] as const

interface Reasons {
  mayNotRun: string | null
  mayNotScript: string | null
}

/** What running a command again means; null where it cannot be done. */
export function againOf(
  command: Pick<DeviceCommand, 'type' | 'payload'>,
  { mayNotRun, mayNotScript }: Reasons,
): 'script' | (typeof repeatable)[number] | null {
  if (scriptOf(command) !== null) return mayNotScript === null ? 'script' : null
  return mayNotRun === null ? (repeatable.find((type) => type === command.type) ?? null) : null
}
