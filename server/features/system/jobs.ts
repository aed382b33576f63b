import type { Job } from '../../platform/jobs.ts'
import type { Services } from '../../platform/services.ts'

export const systemJobs = ({ tasks, tls }: Pick<Services, 'tasks' | 'tls'>): Job[] => [
  {
    name: 'tasks.prune',
    description:
      'Gives up on background tasks nobody wants any more, such as mail whose link has died, and forgets old ones',
    schedule: '45 */15 * * * *',
    run: (signal) => tasks.prune(signal),
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
