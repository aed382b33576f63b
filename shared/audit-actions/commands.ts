export const commandsActions = {
  'agent.command.script': 'Ran a script on a device',
  'agent.command.cancel': 'Canceled a command',
  'agent.command.result.submit': 'Returned a command result',
  'agent.command.timeout': 'Command expired',
} as const
