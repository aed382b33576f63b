import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import type { PolicyLink } from '../../../shared/api/configuration-policies.ts'
import type { BackupMode } from '../../../shared/backup-plan.ts'
import { plural } from '../../lib/format.ts'
import { planOf, settingsIn } from './plan-draft.ts'

const modeNames: Record<BackupMode, string> = {
  file: 'Files',
  system_image: 'Whole system',
  database: 'Databases',
  vmhost: 'Virtual machines',
}

export const modeName = ({ backupMode }: Pick<BackupJob, 'backupMode'>): string => modeNames[backupMode]

/** What a policy protects: the name of its profile, or what it says itself. */
export function whatWords(
  link: Pick<PolicyLink, 'featurePolicyId' | 'inlineSettings'>,
  profileName: (id: string) => string | undefined,
): string {
  const { featurePolicyId } = link
  const profile = featurePolicyId === null ? undefined : profileName(featurePolicyId)
  const settings = settingsIn(link)
  if (!settings || !('backupMode' in settings)) return profile ? `Profile “${profile}”` : 'A profile'
  const { what, paths } = planOf(link)
  if (what === 'people') return 'People’s files'
  if (what !== 'custom') return modeNames[settings.backupMode]
  const lines = paths.split('\n')
  return lines.length === 1 ? paths : `${lines[0]} and ${plural(lines.length - 1, 'more folder')}`
}
