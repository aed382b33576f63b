import { userFolders, wholeSystem } from './device/backup-places.ts'
import { isAbsolutePath } from './restore-folder.ts'

/** Policies apply to devices of every system, so a path may be one of any of them, or stand for what each has. */
export const isFullPath = (path: string): boolean =>
  path === userFolders || path === wholeSystem || ['windows', 'linux'].some((system) => isAbsolutePath(path, system))
