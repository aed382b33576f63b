import { deepestPath, longestName, longestPath } from './bounds.ts'

/**
 * Paths have two forms. restic writes `/home/ada/a.txt`, and `/C/Users/a.txt` for a file of Windows; people see
 * `/home/ada/a.txt` and `C:/Users/a.txt`. Only those of Windows differ, and no other begins without a slash.
 */

const isDrive = (part: string | undefined): part is string => part !== undefined && /^[A-Za-z]$/.test(part)

/** As people see it. */
export function shownPath(parts: readonly string[], isWindows: boolean): string {
  const [drive, ...rest] = parts
  return isWindows && isDrive(drive) ? `${drive}:/${rest.join('/')}` : `/${parts.join('/')}`
}

/** The last part, as people see it. */
export const shownName = (name: string, depth: number, isWindows: boolean): string =>
  isWindows && depth === 0 && isDrive(name) ? `${name}:` : name

/**
 * The path that restic knows, of one that people see. A letter U+FFFD in it stands for bytes that are no UTF-8, which
 * `restic ls` does not tell: a pattern for a restore needs a `?` in its place.
 */
export function resticPathOf(path: string): string {
  const onDrive = /^([A-Za-z]):\/?(.*)$/s.exec(path)
  if (!onDrive) return path
  const [, drive, rest] = onDrive
  return rest ? `/${drive}/${rest}` : `/${drive}`
}

/** The names in a path of either form, also with a slash before the drive; null when it is none. */
export function partsOf(path: string, isWindows: boolean): string[] | null {
  const own = resticPathOf(isWindows ? path.replace(/^\/(?=[A-Za-z]:(\/|$))/, '') : path)
  if (!own.startsWith('/') || own.length > longestPath) return null
  const parts = own.split('/').slice(1)
  // As of `/`, or with a slash at the end.
  if (parts.at(-1) === '') parts.pop()
  return parts.every(isName) && parts.length <= deepestPath ? parts : null
}

/** Whether a file can be called so: not `..`, and no path. */
export const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && name.length <= longestName && !/[/\0]/.test(name)

/** Snapshots of Windows say where they began in its own form. */
export const areOfWindows = (paths: readonly unknown[]): boolean =>
  paths.some((path) => typeof path === 'string' && /^([A-Za-z]:([\\/]|$)|\\\\)/.test(path))
