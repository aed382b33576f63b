import type { Job } from '../../platform/jobs.ts'
import type { LiveEvents } from '../../platform/live.ts'
import type { Connections } from '../device-connections/index.ts'
import { closeUnauthorized } from './socket.ts'

export const agentJobs = (live: LiveEvents, connections: Connections): Job[] => [
  {
    name: 'connections.sweep',
    description: 'Closes live connections that are no longer allowed',
    schedule: '*/20 * * * * *',
    run: async () => {
      await live.sweep()
      await closeUnauthorized(connections)
    },
  },
]
