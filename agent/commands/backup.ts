import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import {
  type BackupOutcome,
  backupRunPayload,
  keyPayload,
  maintainPayload,
  type ResticEngine,
  restorePayload,
} from '../../shared/device/backup.ts'
import { previewPayload } from '../../shared/device/backup-preview.ts'
import { vaultSyncPayload } from '../../shared/device/backup-vaults.ts'
import { maintainRepository, ResticRefused, type RunThere } from '../../shared/node/restic-maintenance.ts'
import { addPassword, removePassword } from '../../shared/node/restic-passwords.ts'
import type { CommandResult } from '../journal.ts'
import { type BackupProgress, backUp } from '../restic/backup.ts'
import { BegunRuns } from '../restic/begun-runs.ts'
import { previewBackup } from '../restic/preview.ts'
import type { ResticPrograms } from '../restic/programs.ts'
import { type ResticSettings, runRestic } from '../restic/restic-run.ts'
import { restore } from '../restic/restore.ts'
import { throttled } from '../restic/throttled.ts'
import { syncVault, type VaultSyncProgress } from '../restic/vault-sync.ts'
import { command, completed, failed } from './command.ts'

export interface Using {
  programs: Pick<ResticPrograms, 'find' | 'hold'>
  settings: Omit<ResticSettings, 'file' | 'authorities'>
  stateDir: string
  /** Tells the server which files a snapshot has. */
  sendFiles(jobId: string, snapshotId: string, listing: Readable): Promise<void>
  /** PEM of the authorities that vouch for the appliance. */
  authorities: () => string | undefined
}

/** Backs up with restic, one backup of a repository at a time; the next waits for one that is being stopped. */
export function backupRun({ programs, settings, authorities, sendFiles, stateDir }: Using) {
  const running = new Map<string, { signal: AbortSignal; ended: Promise<void> }>()
  const begun = new BegunRuns(join(stateDir, 'begun-backups'))
  return command({
    name: 'backup_run',
    input: backupRunPayload,
    isSecret: true,
    async run(payload, { signal, progress }) {
      const { repositoryId } = payload.engine
      const report = throttled<BackupProgress>(progress)
      const ended = Promise.withResolvers<void>()
      let release = () => {}
      try {
        for (let former = running.get(repositoryId); former; former = running.get(repositoryId)) {
          if (!former.signal.aborted) return resultOf(failure('backup already running'))
          report.take({ phase: 'preparing', current: 0, total: 0 })
          await former.ended
        }
        running.set(repositoryId, { signal, ended: ended.promise })
        release = programs.hold()
        const program = await programs.find()
        if (!program) return resultOf(failure('Backup engine not available on this device'))
        const using = { ...settings, file: program.file, authorities: authorities() }
        return resultOf(
          await backUp({
            settings: using,
            payload,
            signal,
            onProgress: report.take,
            sendListing: (id, listing) => sendFiles(payload.jobId, id, listing),
            begun,
          }),
        )
      } finally {
        report.end()
        release()
        if (running.get(repositoryId)?.signal === signal) running.delete(repositoryId)
        ended.resolve()
      }
    },
  })
}

/** Restores with restic. */
export function backupRestore({ programs, settings, authorities, stateDir }: Using) {
  return command({
    name: 'backup_restore',
    input: restorePayload,
    isSecret: true,
    async run(payload, { signal, progress }) {
      const program = await programs.find()
      if (!program) return failed('Backup engine not available on this device')
      const report = throttled(progress)
      try {
        const outcome = await restore({
          settings: { ...settings, file: program.file, authorities: authorities() },
          payload,
          stagingFolder: join(stateDir, 'restored'),
          notesFolder: join(stateDir, 'restoring'),
          signal,
          onProgress: report.take,
        })
        const isDone = outcome.status === 'completed' || outcome.status === 'partial'
        return isDone ? { ...completed(), result: outcome } : { ...failed(outcome.error ?? ''), result: outcome }
      } finally {
        report.end()
      }
    },
  })
}

/** Removes from a repository on this device what the server does not keep any more. */
export function backupMaintain({ programs, settings, authorities }: Using) {
  return command({
    name: 'backup_maintain',
    input: maintainPayload,
    isSecret: true,
    async run({ engine, ...wish }, { signal, progress }) {
      const release = programs.hold()
      const report = throttled(progress)
      try {
        const program = await programs.find()
        if (!program) return failed('Backup engine not available on this device')
        report.take({ phase: 'maintaining' })
        const using = { ...settings, file: program.file, authorities: authorities() }
        const there: RunThere = (args, listeners) => runRestic(using, engine, args, signal, listeners)
        const storedBytes = await maintainRepository(there, { ...wish, onlyHost: null })
        return { ...completed(), result: { storedBytes } }
      } catch (error) {
        if (error instanceof ResticRefused) return failed(error.message)
        throw error
      } finally {
        report.end()
        release()
      }
    },
  })
}

/** Changes which passwords open a repository on this device. */
export function backupKey({ programs, settings, authorities }: Using) {
  return command({
    name: 'backup_key',
    input: keyPayload,
    isSecret: true,
    async run({ op, password, engine }, { signal }) {
      const release = programs.hold()
      try {
        const program = await programs.find()
        if (!program) return failed('Backup engine not available on this device')
        const using = { ...settings, file: program.file, authorities: authorities() }
        const there = (opened: ResticEngine): RunThere => {
          return (args, listeners) => runRestic(using, opened, args, signal, listeners)
        }
        const [own, other] = [there(engine), there({ ...engine, password })]
        if (op === 'add') await addPassword({ withOld: own, withNew: other, onlyHost: null }, password, settings.folder)
        else await removePassword({ withOld: other, withNew: own, onlyHost: null })
        return { ...completed(), result: { isThere: true } }
      } catch (error) {
        if (!(error instanceof ResticRefused)) throw error
        if (error.refusal === 'no-repository') return { ...completed(), result: { isThere: false } }
        return failed(error.message)
      } finally {
        release()
      }
    },
  })
}

/** Brings a second copy up to date, one sync of it at a time. */
export function vaultSync({ programs, settings, authorities }: Using) {
  const running = new Map<string, Promise<void>>()
  return command({
    name: 'vault_sync',
    input: vaultSyncPayload,
    isSecret: true,
    async run(payload, { signal, progress }) {
      const place = join(payload.vaultPath, payload.folder)
      const report = throttled<VaultSyncProgress>(progress)
      const ended = Promise.withResolvers<void>()
      const release = programs.hold()
      try {
        report.take({ phase: 'waiting' })
        for (let former = running.get(place); former; former = running.get(place)) await former
        running.set(place, ended.promise)
        const program = await programs.find()
        if (!program) return failed('Backup engine not available on this device')
        const using = { ...settings, file: program.file, authorities: authorities() }
        return { ...completed(), result: await syncVault(using, payload, signal, report.take) }
      } catch (error) {
        if (error instanceof ResticRefused) return failed(error.message)
        throw error
      } finally {
        report.end()
        release()
        if (running.get(place) === ended.promise) running.delete(place)
        ended.resolve()
      }
    },
  })
}

/** Says what a backup would read. */
export function backupPreview({ settings }: Pick<Using, 'settings'>) {
  return command({
    name: 'backup_preview',
    input: previewPayload,
    async run(payload, { signal }) {
      const found = await previewBackup({ payload, cacheFolder: settings.cacheFolder, signal })
      return { ...completed(), result: found }
    },
  })
}

/** Stops a backup, a restore, a check or a preview, waiting or running. */
export const backupStop = command({
  name: 'backup_stop',
  input: z.object({ jobId: z.string() }),
  isUrgent: true,
  async run({ jobId }, { cancel }) {
    return completed(JSON.stringify({ stopped: cancel(jobId) }))
  },
})

const failure = (error: string): BackupOutcome => ({ status: 'failed', filesBackedUp: 0, bytesBackedUp: 0, error })

function resultOf(outcome: BackupOutcome): CommandResult {
  const hasSnapshot = outcome.status === 'completed' || outcome.status === 'partial'
  return hasSnapshot ? { ...completed(), result: outcome } : { ...failed(outcome.error ?? ''), result: outcome }
}
