import type { PolicySavings } from '../../../shared/api/backup-usage.ts'
import { plural } from '../../lib/format.ts'

/** `15 daily, 6 monthly`. */
export function lessWords(less: PolicySavings['less']): string {
  if (less === null) return 'It keeps as little as it can.'
  const { keepDaily, keepWeekly, keepMonthly, keepYearly, retentionDays, maxVersions } = less
  const parts = [
    keepDaily ? `${keepDaily} daily` : '',
    keepWeekly ? `${keepWeekly} weekly` : '',
    keepMonthly ? `${keepMonthly} monthly` : '',
    keepYearly ? `${keepYearly} yearly` : '',
    retentionDays ? plural(retentionDays, 'day') : '',
    maxVersions ? `at most ${plural(maxVersions, 'snapshot')}` : '',
  ]
  return parts.filter(Boolean).join(', ')
}
