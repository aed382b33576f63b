export const agentsActions = {
  'agent.heartbeat.state_change': 'A device changed its state',
  'agent.source.ip.changed': 'A device came from another address',
} as const
