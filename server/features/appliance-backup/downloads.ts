import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Database } from '../../db/database.ts'
import { leftoversIn } from '../../lib/leftovers.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { runInWorker } from '../../platform/tasks/index.ts'
import { lastBackup } from './last-backup.ts'

const folderPrefix = '.backup-'
/** Beside this module; the built server keeps both beside its main file. */
const worker = new URL(import.meta.url.endsWith('.ts') ? './backup-worker.ts' : './backup-worker.js', import.meta.url)

interface Dependencies {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  dataDir: string
}

/** Backups that a browser takes away; one at a time. */
export class BackupDownloads {
  readonly #dependencies: Dependencies
  /** Copies of all secrets, from a process that was killed. */
  readonly removeLeftovers: () => Promise<void>
  #running: { abort: AbortController; over: Promise<unknown> } | null = null

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.removeLeftovers = leftoversIn(dependencies.dataDir, folderPrefix)
  }

  async stop(): Promise<void> {
    this.#running?.abort.abort()
    await this.#running?.over
  }

  /**
   * Sends a backup that is made now. It is recorded before its first byte leaves, because a client that disconnects has
   * read part of it.
   * @throws AppError `backup_in_progress`, `backup_failed`
   */
  async send(actor: UserActor, reply: FastifyReply) {
    if (this.#running) throw new AppError('backup_in_progress')
    const abort = new AbortController()
    const { promise: over, resolve: finish } = Promise.withResolvers<void>()
    this.#running = { abort, over }
    const { db, clock, log, audit, dataDir } = this.#dependencies
    const folder = mkdtemp(join(dataDir, folderPrefix))
    const clear = async () => {
      await rm(await folder, { recursive: true, force: true }).catch((err) =>
        log.error({ err }, 'A backup is left over'),
      )
      this.#running = null
      finish()
    }
    reply.raw.once('close', () => abort.abort())
    try {
      const file = join(await folder, 'homeport.tgz')
      await runInWorker(worker, { dataDir, file }, { signal: abort.signal, progress: () => {} }).catch((cause) => {
        throw abort.signal.aborted ? cause : new AppError('backup_failed', {}, { cause })
      })
      const { size: bytes } = await stat(file)
      abort.signal.throwIfAborted()
      audit(actor, { action: 'platform_admin.backup.download', resourceType: 'system', details: { bytes } })
      const at = isoNow(clock)
      const stream = createReadStream(file)
      stream.once('close', clear)
      const sending = stream.pipe(beforeTheEnd(bytes, () => lastBackup(db).write({ at, by: 'download', bytes })))
      abort.signal.addEventListener('abort', () => {
        stream.destroy()
        sending.destroy()
      })
      reply.headers({
        'content-type': 'application/gzip',
        'content-length': bytes,
        'content-disposition': `attachment; filename="homeport-${at.slice(0, 10)}.tgz"`,
        'cache-control': 'no-store',
      })
      return sending
    } catch (error) {
      await clear()
      throw error
    }
  }
}

/** Passes `total` bytes on, and calls back before the last of them: who has all of them may ask what was called back. */
function beforeTheEnd(total: number, callBack: () => void): Transform {
  let passed = 0
  return new Transform({
    transform: (chunk: Buffer, _encoding, pass) => {
      passed += chunk.length
      if (passed === total) callBack()
      pass(null, chunk)
    },
  })
}
