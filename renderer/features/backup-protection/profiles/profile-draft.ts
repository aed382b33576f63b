import type { BackupProfile } from '../../../../shared/api/backup-profiles.ts'
import { type ProfileSelections, profileSelections } from '../../../../shared/backup-plan.ts'
import { userFolders, usuallyLeftOut } from '../../../../shared/device/backup-places.ts'
import { fileTargetsOf, linesOf, pathErrors } from '../../../domain/backup-policies/plan-draft.ts'

/** What a profile protects, as it is typed in. */
export interface ProfileDraft {
  name: string
  description: string
  isOfCompany: boolean
  hasFiles: boolean
  /** One to a line. */
  paths: string
  leftOut: string
  hasSystem: boolean
}

export const newProfile: ProfileDraft = {
  name: '',
  description: '',
  isOfCompany: false,
  hasFiles: true,
  paths: userFolders,
  leftOut: usuallyLeftOut.join('\n'),
  hasSystem: false,
}

const selectionsIn = (profile: BackupProfile | undefined): ProfileSelections =>
  profileSelections.safeParse(profile?.selections).data ?? {}

export function profileDraftOf(profile: BackupProfile): ProfileDraft {
  const { file, system_image } = selectionsIn(profile)
  return {
    name: profile.name,
    description: profile.description ?? '',
    isOfCompany: profile.ownerScope === 'partner',
    hasFiles: file?.enabled ?? false,
    paths: file ? file.paths.join('\n') : newProfile.paths,
    leftOut: (file?.excludes ?? usuallyLeftOut).join('\n'),
    hasSystem: system_image?.enabled ?? false,
  }
}

/** What the form does not show stays as it was. */
export function selectionsOf(draft: ProfileDraft, former: BackupProfile | undefined): ProfileSelections {
  const { file, system_image, ...others } = selectionsIn(former)
  return {
    ...others,
    ...((draft.hasFiles || file) && { file: { enabled: draft.hasFiles, ...fileTargetsOf(draft) } }),
    ...((draft.hasSystem || system_image) && {
      system_image: { includeSystemState: true, ...system_image, enabled: draft.hasSystem },
    }),
  }
}

export type ProfileErrors = Partial<Record<'name' | 'paths' | 'leftOut' | 'nothing', string>>

export function profileErrors(draft: ProfileDraft, former: BackupProfile | undefined): ProfileErrors {
  const { error } = profileSelections.safeParse(selectionsOf(draft, former))
  const messageAt = (...path: string[]) =>
    error?.issues.find((issue) => path.every((part, n) => issue.path[n] === part) && issue.path.length >= path.length)
      ?.message
  const [paths, leftOut] = [messageAt('file', 'paths'), messageAt('file', 'excludes')]
  const isEmpty = error?.issues.some(({ path }) => path.length === 0)
  return {
    ...(draft.name.trim() === '' && { name: 'Enter a name' }),
    ...(draft.hasFiles && pathErrors(linesOf(draft.paths))),
    ...(paths && { paths }),
    ...(leftOut && { leftOut }),
    ...(isEmpty && { nothing: 'Choose at least one' }),
  }
}

const names = { file: 'files', system_image: 'the whole system', database: 'databases', vmhost: 'virtual machines' }

/** “Files and the whole system”. */
export function protectsWords(profile: BackupProfile): string {
  const selections = selectionsIn(profile)
  const enabled = Object.entries(names).flatMap(([mode, name]) =>
    selections[mode as keyof typeof names]?.enabled ? [name] : [],
  )
  const text = new Intl.ListFormat('en', { type: 'conjunction' }).format(enabled)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
