import type { Job } from '../../platform/jobs.ts'
import type { CommandResults } from './results.ts'

export const commandJobs = (results: CommandResults): Job[] => [
  {
    name: 'commands.expire',
    description: 'Expires commands that no device answered in time',
    schedule: '15 */2 * * * *',
    run: () => {
      results.expire()
    },
  },
]
