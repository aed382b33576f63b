export const commandsActions = {
  'agent.command.script': 'Ran a script on a device',
  'agent.command.cancel': 'Cancelled a command',
  'agent.command.result.submit': 'Sent the result of a command',
  'agent.command.timeout': 'A command was given up',
} as const
