import type { Job } from '../../platform/jobs.ts'
import type { CommandResults } from './results.ts'

export const commandJobs = (results: CommandResults): Job[] => [
  {
    name: 'commands.expire',
    description: 'Gives up on commands no device has answered in time',
    schedule: '15 */2 * * * *',
    run: () => {
      results.expire()
    },
  },
]
