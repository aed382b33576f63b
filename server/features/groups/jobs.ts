import type { Job } from '../../platform/jobs.ts'
import type { DynamicGroups } from './dynamic-groups.ts'

export const groupJobs = (dynamic: DynamicGroups): Job[] => [
  {
    name: 'groups.sweep',
    description: 'Looks at every device anew for dynamic groups: what changes by the clock no event tells',
    schedule: '45 */5 * * * *',
    run: (signal) => dynamic.fillAll(signal),
  },
]
