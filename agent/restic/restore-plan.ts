import { posix, win32 } from 'node:path'
import type { RestorePayload } from '../../shared/device/backup.ts'

/** A file or folder of a snapshot, and where it goes. */
export interface RestorePiece {
  /** As restic names it. */
  path: string
  /** On this computer. */
  to: string
}

/** A folder of its own for what is restored nowhere in particular. */
export type StagingPath = string

const isWindows = (platform: NodeJS.Platform) => platform === 'win32'

/** `/C/Users/a` is `C:\Users\a`. */
export function pathHere(path: string, platform = process.platform): string {
  if (!isWindows(platform)) return path
  const [, drive, rest = ''] = /^\/([A-Za-z])(?:\/(.*))?$/s.exec(path) ?? []
  if (drive === undefined) throw new Error(`${path} is on no drive of this computer`)
  return win32.normalize(`${drive}:\\${rest.replaceAll('/', '\\')}`)
}

/** `C:\Users\a` is `/C/Users/a`. */
export function pathInSnapshot(path: string): string {
  const [, drive, rest = ''] = /^([A-Za-z]):(.*)$/s.exec(path) ?? []
  return drive === undefined ? path : `/${drive}${rest.replaceAll('\\', '/')}`
}

/**
 * Where everything goes. `sources` are the folders that were backed up, for a restore of all of them.
 * @throws Error for a path that leads out of its folder: the names in a snapshot are those of whatever made it
 */
export function piecesOf(
  { paths, target }: Pick<RestorePayload, 'paths' | 'target'>,
  sources: readonly string[],
  staging: StagingPath,
  platform = process.platform,
): RestorePiece[] {
  const up = [...paths, ...sources].find((path) => path.split(isWindows(platform) ? /[/\\]/ : '/').includes('..'))
  if (up !== undefined) throw new Error(`${up} leads out of its folder`)
  if (target.to === 'original')
    return (paths.length > 0 ? paths : sources).map((path) => ({ path, to: pathHere(path, platform) }))
  const folder = target.to === 'folder' ? target.path : staging
  if (paths.length === 0) return [{ path: '/', to: folder }]
  const from = commonParent(paths)
  const { join } = isWindows(platform) ? win32 : posix
  return paths.map((path) => ({ path, to: join(folder, ...posix.relative(from, path).split('/')) }))
}

/** The deepest folder that all of them are in. */
function commonParent(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => posix.dirname(path).split('/'))
  const length = first.findIndex((part, depth) => others.some((one) => one[depth] !== part))
  return (length < 0 ? first : first.slice(0, length)).join('/') || '/'
}

/** For the command line, which may not be of any length. */
const maxIncludes = 200
const maxCharacters = 20_000

export function batches(patterns: readonly string[]): string[][] {
  const all: string[][] = []
  let characters = 0
  for (const pattern of patterns) {
    const last = all.at(-1)
    characters += pattern.length
    if (last && last.length < maxIncludes && characters <= maxCharacters) last.push(pattern)
    else {
      all.push([pattern])
      characters = pattern.length
    }
  }
  return all
}
