import type { BackupRetention } from '../../../shared/backup-plan.ts'
import { withPreset } from '../../../shared/backup-retention.ts'
import { plural } from '../../lib/format.ts'

/** “daily for 7 days, weekly for 4 weeks and monthly for 3 months”, to follow “Snapshots are kept”. */
export function retentionWords(retention: BackupRetention): string {
  const {
    keepDaily = 0,
    keepWeekly = 0,
    keepMonthly = 0,
    keepYearly = 0,
    retentionDays,
    maxVersions,
  } = withPreset(retention)
  const generations = [
    keepDaily && `daily for ${plural(keepDaily, 'day')}`,
    keepWeekly && `weekly for ${plural(keepWeekly, 'week')}`,
    keepMonthly && `monthly for ${plural(keepMonthly, 'month')}`,
    keepYearly && `yearly for ${plural(keepYearly, 'year')}`,
  ].filter((part) => typeof part === 'string')
  const kept =
    generations.length > 0 ? listed(generations) : retentionDays ? `for ${longSpan(retentionDays)}` : 'forever'
  return maxVersions ? `${kept}, at most ${plural(maxVersions, 'version')}` : kept
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

/** “90 days”, “1 year”. */
const longSpan = (days: number): string => (days % 365 === 0 ? plural(days / 365, 'year') : plural(days, 'day'))
