import type { Limit } from '../../lib/limit.ts'

export const agentsLimits = {
  agent_address: { max: 60, windowSeconds: 60 },
  agent: { max: 120, windowSeconds: 60 },
  agent_socket: { max: 6, windowSeconds: 60 },
} as const satisfies Record<string, Limit>
