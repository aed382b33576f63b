import { realpath, rm, stat } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'

/** A share or disk has to be mounted; what is local is there when its folder is. */
type MediumType = 'local' | 'smb' | 'usb'

/** The disk or share of a second copy, which may come and go. */
export interface CopyMedium {
  path: string
  type: MediumType
  /** Of the copy, in that folder. */
  folder: string
  /** Of this program: the disk that it is on is not the one to be mounted. */
  ownFolder: string
  /**
   * For a copy that is still to be made: those that were made beside it before, or itself if it was begun. One of them shows
   * that this is their disk.
   */
  others: readonly string[]
}

/** The copy is not where it was, or another one is there. Nothing is made in its place. */
export class CopyAbsent extends Error {
  override name = 'CopyAbsent'
  /** Whether the copy itself was on the disk before that was pulled out. */
  readonly wasThere: boolean

  constructor(reason: string, wasThere = false) {
    super(reason)
    this.wasThere = wasThere
  }
}

const lookEveryMs = 1000

/**
 * Works in a copy as long as its disk is there. Pulled out, restic would make the folders that are gone anew and write on to
 * the disk below.
 * @throws CopyAbsent
 */
export async function whileThere<Value>(
  { path, type, folder, ownFolder, others }: CopyMedium,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const absent = (await absenceOf(path, type, ownFolder)) ?? (await absenceOfAll(path, others))
  if (absent !== null) throw new CopyAbsent(absent)
  const copy = join(path, folder)
  const disk = await diskOf(path)
  let isMade = false
  const isGone = async () => {
    if ((await diskOf(path)) !== disk) return true
    const config = await there(join(copy, 'config'))
    isMade ||= config === true
    return isMade && config === false
  }
  const gone = new AbortController()
  const look = setInterval(async () => {
    if (await isGone()) gone.abort(new CopyAbsent(pulledOut))
  }, lookEveryMs)
  try {
    return await work(AbortSignal.any([signal, gone.signal]))
  } catch (error) {
    if (signal.aborted) throw error
    const wasPulledOut = gone.signal.aborted || (await isGone())
    const below = await diskOf(path)
    if (wasPulledOut && below !== disk && below !== null) await removeWrittenBelow(copy)
    // Pulled out in the middle, restic fails in many words.
    const reason = (await absenceOf(path, type, ownFolder)) ?? (wasPulledOut ? pulledOut : null)
    throw reason === null ? error : new CopyAbsent(reason, isMade)
  } finally {
    clearInterval(look)
  }
}

const pulledOut = 'The disk or share was disconnected in the middle'

/** What tells two disks apart at the same path; null when there is nothing, or it hangs. */
const diskOf = async (path: string): Promise<number | null> => (await within(stat(path).catch(() => null)))?.dev ?? null

/** Null when it cannot be told. */
const there = (file: string): Promise<boolean | null> =>
  within(
    stat(file).then(
      () => true,
      (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? false : null),
    ),
  )

/** What has a configuration is a copy on another disk. */
async function removeWrittenBelow(copy: string): Promise<void> {
  if ((await there(join(copy, 'config'))) === false) await rm(copy, { recursive: true, force: true })
}

/** How long a share may take that hangs. */
const lookMs = 10_000

/**
 * Why a folder cannot take second copies now, in words; null when it can. It is never made: an absent one is a disk that
 * is not plugged in. A share or a disk has to be mounted: what is written into an empty mount point fills the wrong disk.
 */
export async function absenceOf(folder: string, type: MediumType, ownFolder: string): Promise<string | null> {
  const found = await within(stat(folder).catch(() => null))
  if (!found?.isDirectory()) return 'The folder is not there. Is its disk or share connected?'
  if (type === 'local' || process.platform === 'win32') return null
  const isThere = await within(isMounted(folder, ownFolder).catch(() => null))
  return isThere === false ? 'The folder is there, but no disk or share is mounted on it' : null
}

async function absenceOfAll(path: string, folders: readonly string[]): Promise<string | null> {
  if (folders.length === 0) return null
  const found = await Promise.all(folders.map((folder) => there(join(path, folder, 'config'))))
  return found.every((one) => one === false)
    ? 'What was copied there before is not there. Is its disk or share connected?'
    : null
}

/** What is mounted at the top, such as `/home`, belongs to the system, but for where disks are mounted by custom. */
const mountedAtTop = ['/mnt', '/media']

/** Whether a disk or share of its own is mounted on the folder, or on one above it. */
async function isMounted(folder: string, ownFolder: string): Promise<boolean> {
  const path = await realpath(folder)
  const { dev } = await stat(path)
  const own = await stat(ownFolder).catch(() => null)
  if (dev === own?.dev) return false
  const mountPoint = await mountPointOf(path, dev)
  if (mountPoint === path || mountedAtTop.includes(mountPoint)) return true
  const { root } = parse(mountPoint)
  return mountPoint !== root && dirname(mountPoint) !== root
}

/** The topmost folder above it on the same disk. */
async function mountPointOf(path: string, dev: number): Promise<string> {
  const above = dirname(path)
  return above === path || (await stat(above)).dev !== dev ? path : mountPointOf(above, dev)
}

async function within<Value>(work: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), lookMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
