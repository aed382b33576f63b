import type { Job } from '../../platform/jobs.ts'
import type { Services } from '../../platform/services.ts'

export const systemJobs = ({ tasks, tls }: Pick<Services, 'tasks' | 'tls'>): Job[] => [
  {
    name: 'tasks.prune',
    description: 'Drops expired tasks, such as email with an expired link, and deletes finished ones after 30 days',
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
