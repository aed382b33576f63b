import type { BackupSnapshot } from '../../../shared/api/backup-snapshots.ts'
import type { ExistingFiles } from '../../../shared/device/backup.ts'
import type { OsType } from '../../../shared/device/inventory.ts'
import { type FolderProblem, folderProblem } from '../../../shared/restore-folder.ts'
import type { RestoreInput } from '../../data/backup-restores.ts'

/** What somebody wants back, as it is chosen. */
export interface RestoreDraft {
  /** The second copy that they come from; empty: the first place. */
  vaultId: string
  /** The device that gets the files; empty while none is chosen. */
  deviceId: string
  to: 'new' | 'original' | 'folder'
  folder: string
  /** Also if the folder belongs to the system. */
  isSystemAllowed: boolean
  existing: ExistingFiles
}

export const newRestore = (deviceId: string): RestoreDraft => ({
  vaultId: '',
  deviceId,
  to: 'new',
  folder: '',
  isSystemAllowed: false,
  existing: 'rename',
})

interface Wanted {
  snapshot: Pick<BackupSnapshot, 'id'>
  /** Empty: everything in the snapshot. */
  paths: readonly string[]
}

export const whatOf = ({ snapshot, paths }: Wanted, deviceId: string) => ({
  snapshotId: snapshot.id,
  deviceId,
  ...(paths.length > 0
    ? { restoreType: 'selective' as const, selectedPaths: [...paths] }
    : { restoreType: 'full' as const }),
})

export function restoreInputOf(draft: RestoreDraft, wanted: Wanted): RestoreInput {
  const { to, folder, isSystemAllowed, existing, deviceId, vaultId } = draft
  return {
    ...whatOf(wanted, deviceId),
    ...(to === 'original' && { inPlace: true }),
    ...(to === 'folder' && { targetPath: folder.trim(), inPlace: isSystemAllowed }),
    existing,
    ...(vaultId && { vaultId }),
  }
}

/** What speaks against the folder of the draft; null where nothing does. */
export function problemOf({ to, folder }: RestoreDraft, osType: OsType | undefined): FolderProblem | 'empty' | null {
  if (to !== 'folder') return null
  if (folder.trim() === '') return 'empty'
  return osType === undefined ? null : folderProblem(folder.trim(), osType)
}

interface Disk {
  mountPoint: string
  freeBytes: number
}

const likePath = (path: string): string => `${path.replaceAll('\\', '/').replace(/\/+$/, '').toLowerCase()}/`

/** The disk on which the restored files come to lie; undefined where that is not known. */
export function diskOf(draft: RestoreDraft, paths: readonly string[], disks: readonly Disk[], osType?: OsType) {
  const ofSystem = osType === 'windows' ? 'C:\\' : '/'
  const [first] = paths
  const where = { new: ofSystem, original: first ?? ofSystem, folder: draft.folder.trim() }[draft.to]
  return disks
    .filter(({ mountPoint }) => likePath(where).startsWith(likePath(mountPoint)))
    .toSorted((a, b) => b.mountPoint.length - a.mountPoint.length)[0]
}
