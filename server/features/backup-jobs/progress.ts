import { z } from 'zod'
import type { BackupJob } from '../../../shared/api/backup-jobs.ts'
import { reportedAmount } from '../../../shared/device/amounts.ts'
import { type Clock, second } from '../../platform/clock.ts'
import { LastHeard } from '../../platform/last-heard.ts'

const amount = reportedAmount.optional().catch(undefined)

/** As agents send it, ours and the public one; what is malformed is left out. */
const progressFrame = z.object({
  phase: z.enum(['preparing', 'uploading', 'finishing']).catch('uploading'),
  current: reportedAmount.catch(0),
  /** 0: not known yet. */
  total: reportedAmount.catch(0),
  filesDone: amount,
  filesTotal: amount,
  currentFile: z.string().max(5000).optional().catch(undefined),
})

export interface JobProgress extends z.output<typeof progressFrame> {
  at: number
  bytesPerSecond: number | null
}

/** How much the newest speed counts against those before. */
const smoothing = 0.2

/** How far running backups are, in memory: a row for every second of each would be many writes. */
export class ProgressOfJobs {
  readonly #clock: Clock
  readonly #byJob = new Map<string, JobProgress>()
  readonly lastHeard: LastHeard

  constructor(clock: Clock) {
    this.#clock = clock
    this.lastHeard = new LastHeard(clock)
  }

  of(jobId: string): JobProgress | undefined {
    return this.#byJob.get(jobId)
  }

  /** Undefined for what is no progress. */
  take(jobId: string, sent: unknown): JobProgress | undefined {
    const frame = progressFrame.safeParse(sent).data
    if (!frame) return undefined
    const before = this.#byJob.get(jobId)
    const at = this.#clock.now()
    const progress = { ...frame, at, bytesPerSecond: speedOf(before, frame.current, at) }
    this.#byJob.set(jobId, progress)
    this.lastHeard.note(jobId)
    return progress
  }

  forget(jobId: string): void {
    this.#byJob.delete(jobId)
    this.lastHeard.forget(jobId)
  }
}

function speedOf(before: JobProgress | undefined, current: number, at: number): number | null {
  if (!before || at <= before.at) return before?.bytesPerSecond ?? null
  const newest = Math.max(0, current - before.current) / ((at - before.at) / second)
  return before.bytesPerSecond === null ? newest : before.bytesPerSecond * (1 - smoothing) + newest * smoothing
}

export function progressView(progress: JobProgress): NonNullable<BackupJob['progress']> {
  const { phase, currentFile = null, bytesPerSecond, current, total } = progress
  const left = total - current
  return {
    phase,
    currentFile,
    bytesPerSecond: bytesPerSecond === null ? null : Math.round(bytesPerSecond),
    secondsLeft: phase === 'uploading' && bytesPerSecond && left > 0 ? Math.ceil(left / bytesPerSecond) : null,
  }
}
