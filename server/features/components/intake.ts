import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProgramSource } from '../../../shared/api/components.ts'
import type { AuditAction } from '../../../shared/audit-actions/index.ts'
import type { ComponentName } from '../../../shared/components.ts'
import { oldestRestic, type ResticProgram } from '../../../shared/node/restic.ts'
import type { Database } from '../../db/database.ts'
import type { Actor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { runInWorker } from '../../platform/tasks/index.ts'
import type { ComponentWork } from './components-worker.ts'
import type { ProgramFolder } from './program-folder.ts'
import type { ProgramKey, ReadyProgram } from './program-key.ts'
import type { Verification } from './release/verify-release.ts'

/** Beside this module; the built server keeps both beside its main file. */
const worker = new URL(
  import.meta.url.endsWith('.ts') ? './components-worker.ts' : './components-worker.js',
  import.meta.url,
)

interface Dependencies {
  db: Database
  clock: Clock
  audit: Audit
  programs: ProgramFolder
  /** Of the key that signs releases, ASCII-armored. */
  releaseKey: string
}

/** In whose name programs are added, and as what the audit log knows it. */
interface Adding {
  actor: Actor
  action: AuditAction
  partnerId?: string | null
}

interface Release {
  component: ComponentName
  source: ProgramSource
  files: readonly { name: string; path: string }[]
  /** A draft, which the caller removes. */
  folder: string
}

/** The only way into the store: what is verified is stored with its event, all of it or nothing. */
export class Intake {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** @throws AppError that says which file is wrong, and why */
  async addRelease(release: Release, adding: Adding, signal: AbortSignal): Promise<ProgramKey[]> {
    const { component, files, source, folder } = release
    const { releaseKey: key, clock } = this.#dependencies
    const work: ComponentWork = {
      do: 'verify',
      ...{ component, files, source, key, oldestVersion: oldestRestic },
      folder: join(folder, 'verified'),
      addedAt: isoNow(clock),
    }
    return this.#store(component, await this.#work(work, signal), adding)
  }

  async addInstalled(program: ResticProgram, platform: string, adding: Adding, signal: AbortSignal): Promise<void> {
    const { programs, clock } = this.#dependencies
    const draft = await programs.draft()
    try {
      const { file: from, version } = program
      const key = { component: 'restic', version, platform } as const
      const work = { do: 'copy', ...key, from, folder: join(draft, 'copy'), addedAt: isoNow(clock) } as const
      this.#store(key.component, await this.#work(work, signal), adding)
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  async #work(work: ComponentWork, signal: AbortSignal): Promise<ReadyProgram[]> {
    const done = await runInWorker(worker, work, { signal, progress: () => {} }).catch((cause) => {
      throw isDiskFull(cause) ? new AppError('component_disk_full', {}, { cause }) : cause
    })
    const verification = done as Verification
    if ('programs' in verification) return verification.programs
    const { refused, file } = verification
    throw new AppError(refused, { ...(file !== undefined && { file }), oldest: oldestRestic })
  }

  #store(component: ComponentName, ready: readonly ReadyProgram[], { actor, action, partnerId }: Adding): ProgramKey[] {
    const { db, audit, programs } = this.#dependencies
    const added = ready.filter((one) => !this.#isKnown(one))
    const stored: ReadyProgram[] = []
    try {
      return db.transaction(() => {
        audit(actor, {
          action,
          resourceType: 'component',
          resourceName: component,
          ...(partnerId && { partnerId }),
          details: { programs: ready.map(described) },
        })
        for (const one of added) {
          programs.put(one)
          stored.push(one)
        }
        return added.map(({ version, platform }) => ({ component, version, platform }))
      })
    } catch (error) {
      for (const one of stored) programs.remove(one)
      throw error
    }
  }

  /** The same program again changes nothing; but a copy of what is installed gives way to one that is signed. */
  #isKnown({ facts, ...key }: ReadyProgram): boolean {
    const known = this.#dependencies.programs.find(key)
    return known?.sha256 === facts.sha256 && (known.signedBy !== null || facts.signedBy === null)
  }
}

const described = ({ version, platform, facts: { sha256, source, signedBy } }: ReadyProgram) => ({
  version,
  platform,
  sha256,
  source,
  signedBy,
})

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
