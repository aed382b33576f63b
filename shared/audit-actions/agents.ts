export const agentsActions = {
  'agent.heartbeat.state_change': 'Device status changed',
  'agent.source.ip.changed': 'Device IP address changed',
} as const
