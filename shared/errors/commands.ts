import type { Refusals } from './refusals.ts'

export const commandsErrors = {
  device_decommissioned_no_commands: {
    status: 400,
    error: 'Cannot send commands to a decommissioned device',
    onScreen: 'Decommissioned devices accept no commands.',
  },
  use_script_api: { status: 400, error: 'Scripts are run through POST /devices/:id/scripts', onScreen: null },
  ORG_SUSPENDED: { status: 403, error: 'Organization is suspended', onScreen: null },
  command_role_mismatch: { status: 403, error: 'Command role mismatch', onScreen: null },
  command_not_found: { status: 404, error: 'Command not found', onScreen: null },
  ALREADY_PENDING: {
    status: 409,
    error: 'This command is already waiting for the device',
    onScreen: 'The same command is already waiting for this device.',
  },
  command_finished: {
    status: 409,
    error: 'The command has already finished',
    onScreen: 'The command has already finished.',
  },
} as const satisfies Refusals
