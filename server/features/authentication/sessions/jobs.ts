import type { Job } from '../../../platform/jobs.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import type { Sessions } from './sessions.ts'

export const sessionJobs = (sessions: Sessions, limits: RateLimits): Job[] => [
  {
    name: 'sessions.prune',
    description: 'Removes ended sessions, expired challenges and old rate limits',
    schedule: '0 */10 * * * *',
    run: () => {
      sessions.prune()
      limits.prune()
    },
  },
]
