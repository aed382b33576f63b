import { join } from 'node:path'
import type { VaultSyncPayload, VaultSyncResult } from '../../shared/device/backup-vaults.ts'
import { CopyAbsent, whileThere } from '../../shared/node/copy-medium.ts'
import { removeHalfMade } from '../../shared/node/half-made-copy.ts'
import { bringUpToDate, type CopyOutcome, copyingFrom } from '../../shared/node/restic-copy.ts'
import type { RunThere } from '../../shared/node/restic-maintenance.ts'
import { addPassword, removePassword } from '../../shared/node/restic-passwords.ts'
import { type ResticRepository, runRestic } from '../../shared/node/restic-run.ts'
import { type ResticSettings, repositoryOf } from './restic-run.ts'

export interface VaultSyncProgress {
  phase: 'waiting' | 'copying'
  done?: number
  total?: number
  percent?: number | null
}

/** Brings a second copy in a folder of this device up to date. */
export async function syncVault(
  settings: ResticSettings,
  payload: VaultSyncPayload,
  signal: AbortSignal,
  onProgress: (progress: VaultSyncProgress) => void,
): Promise<VaultSyncResult> {
  const { vaultId, vaultPath, wish } = payload
  const said = { vaultId, vaultPath, auto: false, snapshotId: wish.copy.at(-1) ?? null }
  const { vaultType: type, folder, others } = payload
  const medium = { path: vaultPath, type, folder, others, ownFolder: settings.folder }
  try {
    const outcome = await whileThere(medium, signal, (whileIn) => copy(settings, payload, whileIn, onProgress))
    return { ...said, ...sumOf(outcome), absent: null, isBegun: true, outcome }
  } catch (error) {
    if (!(error instanceof CopyAbsent)) throw error
    return { ...said, ...nothing, absent: error.message, isBegun: error.wasThere }
  }
}

const nothing = { fileCount: 0, totalBytes: 0, manifestVerified: false, outcome: null }

const sumOf = ({ manifests, storedBytes }: CopyOutcome) => ({
  fileCount: manifests.reduce((sum, { files }) => sum + files, 0),
  totalBytes: storedBytes ?? 0,
  manifestVerified: manifests.length > 0 && manifests.every(({ isSame }) => isSame),
})

async function copy(
  settings: ResticSettings,
  payload: VaultSyncPayload,
  signal: AbortSignal,
  onProgress: (progress: VaultSyncProgress) => void,
): Promise<CopyOutcome> {
  const { engine, vaultPath, folder, password, newPassword, formerPassword, wish } = payload
  const source = repositoryOf(engine, settings)
  const path = join(vaultPath, folder)
  const withPassword = (opened: string): ResticRepository => ({ url: path, password: opened, env: {}, options: [] })
  const run = (repository: ResticRepository): RunThere => {
    return (args, listeners) => runRestic(settings, repository, args, signal, listeners)
  }
  const own = run(withPassword(password))
  if (formerPassword !== undefined && !wish.isNew)
    await removePassword({ withOld: run(withPassword(formerPassword)), withNew: own, onlyHost: null })
  const outcome = await bringUpToDate(
    {
      source: run(source),
      copy: own,
      both: run(copyingFrom(source, withPassword(password))),
      removeHalfMade: () => removeHalfMade(path),
    },
    wish,
    (progress) => onProgress({ phase: 'copying', ...progress }),
  )
  if (newPassword !== undefined)
    await addPassword(
      { withOld: own, withNew: run(withPassword(newPassword)), onlyHost: null },
      newPassword,
      settings.folder,
    )
  return outcome
}
