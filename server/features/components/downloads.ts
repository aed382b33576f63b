import { rm } from 'node:fs/promises'
import type { downloadComponent, readComponent } from '../../../shared/api/components.ts'
import type { ComponentName } from '../../../shared/components.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { errorTable } from '../../../shared/errors/index.ts'
import { systemActor, type UserActor } from '../../platform/actor.ts'
import { day, minute } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { type TaskContext, TaskFailure, type TaskQueue } from '../../platform/tasks/index.ts'
import { type Intake, isDiskFull } from './intake.ts'
import type { ProgramFolder } from './program-folder.ts'
import { releaseFileName, signatureName, sumsName } from './release/file-names.ts'
import { type ReleaseHost, ReleaseUnavailable } from './release/release-host.ts'

interface Input {
  component: ComponentName
  /** Null for the newest. */
  version: string | null
  platforms: readonly string[]
  partnerId: string | null
}

interface Progress {
  version: string
  files: number
  ofFiles: number
  bytes: number
}

type DownloadState = NonNullable<ReplyOf<typeof readComponent>['download']>

interface Dependencies extends Pick<Services, 'db' | 'audit' | 'tasks'> {
  programs: ProgramFolder
  intake: Intake
  host: ReleaseHost
}

/** There is one at a time, and the page shows the last one. */
const idOf = (component: ComponentName) => `components.download:${component}`
const bytesPerReport = 1024 * 1024

/** Downloads of releases, in the background. */
export class Downloads {
  readonly #dependencies: Dependencies
  readonly #queue: TaskQueue<Input, Progress>

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.#queue = dependencies.tasks.register<Input, Progress>({
      name: 'components.download',
      description: 'Downloads programs for agents',
      concurrency: 1,
      attempts: 1,
      attemptMs: 60 * minute,
      keepMs: 7 * day,
      byHand: ['cancel'],
      amountOf: ({ files, ofFiles }) => ({ done: files, total: ofFiles }),
      run: (task, context) => this.#run(task.input, context),
      onFailed: (task, reason) => this.#failed(task.input, reason),
    })
  }

  start(actor: UserActor, component: ComponentName, { version, platforms }: BodyOf<typeof downloadComponent>): void {
    const { db, audit } = this.#dependencies
    db.transaction(() => {
      const input = { component, version: version ?? null, platforms, partnerId: actor.partnerId }
      const id = this.#queue.add({ id: idOf(component), input, requestedBy: actor.userId })
      if (id === null) throw new AppError('component_download_running')
      audit(actor, {
        action: 'platform_admin.components.download',
        resourceType: 'component',
        resourceName: component,
        details: { version: version ?? 'newest', platforms },
      })
    })
  }

  last(component: ComponentName): DownloadState | null {
    const task = this.#queue.find(idOf(component))
    if (!task || task.state === 'cancelled') return null
    const { id: taskId, state, progress, input, error } = task
    return {
      taskId,
      state: state === 'waiting' || state === 'active' ? 'running' : state === 'completed' ? 'completed' : 'failed',
      version: progress?.version ?? input.version,
      progress: progress && { files: progress.files, ofFiles: progress.ofFiles, bytes: progress.bytes },
      error,
      startedAt: task.createdAt,
      finishedAt: task.finishedAt,
    }
  }

  async #run(input: Input, context: TaskContext<Progress>): Promise<void> {
    const folder = await this.#dependencies.programs.draft()
    try {
      await this.#fetchInto(folder, input, context)
    } catch (error) {
      if (error instanceof AppError) throw new TaskFailure(wordsOf(error), { cause: error })
      if (error instanceof ReleaseUnavailable) throw new TaskFailure(error.message, { cause: error.cause })
      if (isDiskFull(error)) throw new TaskFailure(errorTable.component_disk_full.onScreen, { cause: error })
      throw error
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #fetchInto(folder: string, input: Input, { signal, progress }: TaskContext<Progress>): Promise<void> {
    const { host, intake } = this.#dependencies
    const { component, platforms, partnerId } = input
    const version = input.version ?? (await host.newestVersion(signal))
    const names = [sumsName, signatureName, ...platforms.map((platform) => releaseFileName(version, platform))]
    const files: { name: string; path: string }[] = []
    let bytes = 0
    let reported = 0
    const report = () => {
      reported = bytes
      progress({ version, files: files.length, ofFiles: names.length, bytes })
    }
    const onBytes = (more: number) => {
      bytes += more
      if (bytes - reported >= bytesPerReport) report()
    }
    for (const name of names) {
      report()
      files.push({ name, path: await host.fetch({ version, name, folder }, signal, onBytes) })
    }
    report()
    const actor = systemActor('components.download')
    const adding = { actor, action: 'platform_admin.components.add', partnerId } as const
    await intake.addRelease({ component, source: 'download', files, folder }, adding, signal)
  }

  #failed({ component, version, platforms, partnerId }: Input, reason: string): void {
    this.#dependencies.audit(systemActor('components.download'), {
      action: 'platform_admin.components.add',
      resourceType: 'component',
      resourceName: component,
      ...(partnerId && { partnerId }),
      details: { version: version ?? 'newest', platforms, reason },
      result: 'failure',
    })
  }
}

/** As the console would say it. */
function wordsOf({ code, extra }: AppError): string {
  const words = errorTable[code].onScreen ?? errorTable[code].error
  return words.replace(/\{(\w+)\}/g, (mark, name: string) => String(extra[name] ?? mark))
}
