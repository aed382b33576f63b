import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { userFolders, usuallyLeftOut, wholeSystem } from '../../shared/device/backup-places.ts'

interface Places {
  paths: readonly string[]
  excludes?: readonly string[] | undefined
}

/** Where people keep their work. */
function foldersOfUsers(platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return [`${process.env.SystemDrive ?? 'C:'}\\Users`]
  return platform === 'darwin' ? ['/Users'] : ['/home', '/root']
}

const letters = Array.from({ length: 24 }, (_, n) => `${String.fromCharCode('C'.charCodeAt(0) + n)}:\\`)

/** Disks of this computer, and what the system makes anew on them by itself. */
function disks(platform: NodeJS.Platform): Required<Places> {
  if (platform === 'win32') return { paths: letters, excludes: [] }
  if (platform === 'darwin')
    return { paths: ['/'], excludes: ['/dev', '/Volumes', '/System/Volumes', '/private/var/vm', '/private/tmp'] }
  const made = ['/dev', '/proc', '/sys', '/run', '/tmp', '/var/tmp', '/mnt', '/media', '/swapfile', '/swap.img']
  return { paths: ['/'], excludes: made }
}

/** The places that a backup names, as paths of this computer; of what a name stands for, only what is there. */
export function onThisComputer(
  { paths, excludes }: Places,
  platform = process.platform,
): { paths: string[]; excludes: string[] } {
  const own = disks(platform)
  const expanded = paths.flatMap((path) => {
    if (path === userFolders) return foldersOfUsers(platform).filter((folder) => existsSync(folder))
    return path === wholeSystem ? own.paths.filter((disk) => existsSync(disk)) : [path]
  })
  return {
    paths: [...new Set(expanded)],
    excludes: [...(excludes ?? usuallyLeftOut), ...(paths.includes(wholeSystem) ? own.excludes : [])],
  }
}

/** Which of the paths are there. */
export async function lookFor(paths: readonly string[]) {
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        () => true,
        () => false,
      ),
    ),
  )
  return { present: paths.filter((_, n) => found[n]), missing: paths.filter((_, n) => !found[n]) }
}
