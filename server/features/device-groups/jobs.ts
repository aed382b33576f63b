import type { Job } from '../../platform/jobs.ts'
import type { GroupServices } from './services.ts'

export const groupJobs = ({ dynamic, membershipLog }: GroupServices): Job[] => [
  {
    name: 'groups.sweep',
    description: 'Re-evaluates dynamic groups (for time-based rules)',
    schedule: '45 */5 * * * *',
    run: (signal) => dynamic.fillAll(signal),
  },
  {
    name: 'groups.prune-log',
    description: 'Removes group history older than 90 days',
    schedule: '0 35 * * * *',
    run: (signal) => membershipLog.prune(signal),
  },
]
