import type { Job } from '../../../platform/jobs.ts'
import type { Domains } from './domains.ts'

export const domainJobs = (domains: Domains): Job[] => [
  {
    name: 'sso.check-domains',
    description: 'Checks DNS for domain verification records',
    schedule: '0 25 4 * * *',
    run: (signal) => domains.checkAll(signal),
  },
]
