import type { Job } from '../../platform/jobs.ts'
import type { GroupServices } from './services.ts'

export const groupJobs = ({ dynamic, membershipLog }: GroupServices): Job[] => [
  {
    name: 'groups.sweep',
    description: 'Looks at every device anew for dynamic groups: what changes by the clock no event tells',
    schedule: '45 */5 * * * *',
    run: (signal) => dynamic.fillAll(signal),
  },
  {
    name: 'groups.prune-log',
    description: 'Forgets how devices came and went more than ninety days ago, and of each group all but the latest',
    schedule: '0 35 * * * *',
    run: (signal) => membershipLog.prune(signal),
  },
]
