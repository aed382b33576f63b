import { join } from 'node:path'
import { testRestorePayload, type VerificationOutcome, verifyPayload } from '../../shared/device/backup-verification.ts'
import { checkSnapshot } from '../../shared/node/restic-check.ts'
import { ResticRefused, type RunThere } from '../../shared/node/restic-maintenance.ts'
import type { CommandResult } from '../journal.ts'
import { runRestic, unlockAfterStop } from '../restic/restic-run.ts'
import { testRestore } from '../restic/test-restore.ts'
import { throttled } from '../restic/throttled.ts'
import type { Using } from './backup.ts'
import { command, completed, failed } from './command.ts'

/** Below the folder of the agent: where test restores go. */
export const testRestoreFolder = (stateDir: string): string => join(stateDir, 'test-restore')

/** Reads the data of a repository that only this device reaches. */
export function backupVerify({ programs, settings, authorities }: Using) {
  return command({
    name: 'backup_verify',
    input: verifyPayload,
    isSecret: true,
    async run({ engine, ...wish }, { signal, progress }) {
      const release = programs.hold()
      const report = throttled(progress)
      const program = await programs.find()
      const using = program && { ...settings, file: program.file, authorities: authorities() }
      try {
        if (!using) return failed('Backup engine not available on this device')
        report.take({ phase: 'reading' })
        const there: RunThere = (args, listeners) => runRestic(using, engine, args, signal, listeners)
        const outcome = await checkSnapshot(there, wish)
        // What was cut off may look like damage.
        return signal.aborted ? failed('The check was stopped') : resultOf(outcome)
      } catch (error) {
        if (error instanceof ResticRefused) return failed(error.message)
        throw error
      } finally {
        if (using && signal.aborted) await unlockAfterStop(using, engine)
        report.end()
        release()
      }
    },
  })
}

/** Restores for proof, to a folder of the agent that is gone afterwards. */
export function backupTestRestore({ programs, settings, authorities, stateDir }: Using) {
  return command({
    name: 'backup_test_restore',
    input: testRestorePayload,
    isSecret: true,
    async run(payload, { signal, progress }) {
      const release = programs.hold()
      const report = throttled(progress)
      try {
        const program = await programs.find()
        if (!program) return failed('Backup engine not available on this device')
        const outcome = await testRestore({
          settings: { ...settings, file: program.file, authorities: authorities() },
          payload,
          folder: testRestoreFolder(stateDir),
          signal,
          onProgress: report.take,
        })
        return resultOf(outcome)
      } finally {
        report.end()
        release()
      }
    },
  })
}

/** A check that found damage has done what it should. */
const resultOf = (outcome: VerificationOutcome): CommandResult => ({ ...completed(), result: outcome })
