import type { Job } from '../../platform/jobs.ts'
import type { MailQueue } from './mail-queue.ts'

export const messagingJobs = (queue: MailQueue): Job[] => [
  {
    name: 'mail.prune',
    description: 'Gives up on mail whose link has died and forgets what was sent a month ago',
    schedule: '45 */15 * * * *',
    run: () => queue.prune(),
  },
]
