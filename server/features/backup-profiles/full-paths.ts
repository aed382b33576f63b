import { isFullPath } from '../../../shared/backup-paths.ts'
import { fieldError } from '../../platform/errors.ts'

/**
 * A path that is not a full one means nothing on a device. Those that were there `before` are no reason to refuse a change
 * of something else.
 * @throws AppError `validation_failed` that names the path below `field`
 */
export function assertFullPaths(paths: readonly string[], before: readonly string[], field: string): void {
  const wrong = paths.findIndex((path) => !isFullPath(path) && !before.includes(path))
  if (wrong !== -1)
    throw fieldError(`${field}.${wrong}`, 'Must be a full path, such as /srv/data, C:\\Data or {userFolders}')
}
