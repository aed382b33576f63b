import type { RestorePayload } from '../../../shared/device/backup.ts'
import { type FolderProblem, folderProblem, plainFolder } from '../../../shared/restore-folder.ts'
import { fieldError } from '../../platform/errors.ts'

export interface TargetWish {
  targetPath: string | undefined
  inPlace: boolean
}

const problems: Record<FolderProblem, string> = {
  relative: 'Must be an absolute path on the device',
  parent: 'Must not contain ..',
  system: 'Belongs to the system; set inPlace to restore there all the same',
}

/**
 * Where a restore goes. Nothing named is a folder of its own; `inPlace` allows where the files were, and folders of the
 * system.
 * @throws AppError `validation_failed` that names the field
 */
export function targetOf({ targetPath, inPlace }: TargetWish, osType: string): RestorePayload['target'] {
  const path = targetPath?.trim()
  if (!path) return inPlace ? { to: 'original' } : { to: 'staging' }
  const problem = folderProblem(path, osType)
  if (problem !== null && !(problem === 'system' && inPlace)) throw fieldError('targetPath', problems[problem])
  const plain = plainFolder(path, osType)
  return inPlace && plain === '/' ? { to: 'original' } : { to: 'folder', path: plain }
}
