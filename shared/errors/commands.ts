export const commandsErrors = {
  device_decommissioned_no_commands: { status: 400, error: 'Cannot send commands to a decommissioned device' },
  use_script_api: { status: 400, error: 'Scripts are run through POST /devices/:id/scripts' },
  ORG_SUSPENDED: { status: 403, error: 'Organization is suspended' },
  command_role_mismatch: { status: 403, error: 'Command role mismatch' },
  command_not_found: { status: 404, error: 'Command not found' },
  ALREADY_PENDING: { status: 409, error: 'This command is already waiting for the device' },
  command_finished: { status: 409, error: 'The command has already finished' },
} as const
