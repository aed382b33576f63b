import { closeUnauthorized } from './features/agents/index.ts'
import type { CommandResults } from './features/commands/index.ts'
import type { Connections } from './features/device-connections/index.ts'
import type { Job } from './platform/jobs.ts'
import type { LiveEvents } from './platform/live.ts'
import type { Tasks } from './platform/tasks/index.ts'
import type { Tls } from './platform/tls/index.ts'

interface Parts {
  tasks: Tasks
  results: CommandResults
  live: LiveEvents
  connections: Connections
  tls: Tls | null
}

/** Jobs that keep the appliance itself in order. */
export const machineryJobs = ({ tasks, results, live, connections, tls }: Parts): Job[] => [
  {
    name: 'commands.expire',
    description: 'Gives up on commands no device has answered in time',
    schedule: '15 */2 * * * *',
    run: () => {
      results.expire()
    },
  },
  {
    name: 'tasks.prune',
    description:
      'Gives up on background tasks nobody wants any more, such as mail whose link has died, and forgets old ones',
    schedule: '45 */15 * * * *',
    run: (signal) => tasks.prune(signal),
  },
  {
    name: 'connections.sweep',
    description: 'Closes live connections whose session, device or organization no longer allows them',
    schedule: '*/20 * * * * *',
    run: async () => {
      await live.sweep()
      await closeUnauthorized(connections)
    },
  },
  ...(tls
    ? [
        {
          name: 'tls.renew',
          description: 'Renews the certificate before it expires or when names or addresses change',
          schedule: '30 * * * * *',
          run: () => tls.tick(),
        },
      ]
    : []),
]
