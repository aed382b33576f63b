import type { ByHand, Kind, RunKind, TaskAmount, TaskContext, WorkerKind } from './kind.ts'
import { type TaskRow, taskOf } from './task.ts'
import { runInWorker } from './worker.ts'

/** With the growing pauses in between, about a day. */
export const usualAttempts = 34

/** A kind as the engine sees it, which knows nothing of its input. */
export interface RegisteredKind {
  name: string
  description: string
  attempts: number
  keepMs: number
  byHand: readonly ByHand[]
  work: { write(row: TaskRow): void } | { effect(row: TaskRow): void } | LongWork
  onFailed(row: TaskRow, reason: string): void
}

/** Work that runs beside others and may take long. */
export interface LongWork {
  concurrency: number
  attemptMs: number | null
  stopMs: number
  isReady(): boolean
  isObsolete: ((row: TaskRow) => boolean) | null
  /** Null while there is no progress. */
  amountOf(row: TaskRow): TaskAmount | null
  run(row: TaskRow, context: TaskContext<unknown>): Promise<unknown>
}

export function registered<Input, Progress, Result>(kind: Kind<Input, Progress, Result>): RegisteredKind {
  const inputOf = (row: TaskRow): Input => JSON.parse(row.input)
  return {
    name: kind.name,
    description: kind.description,
    attempts: kind.attempts ?? usualAttempts,
    keepMs: kind.keepMs,
    byHand: kind.byHand ?? [],
    work: workOf(kind, inputOf),
    onFailed: (row, reason) => kind.onFailed?.(taskOf(row), reason),
  }
}

function workOf<Input, Progress, Result>(
  kind: Kind<Input, Progress, Result>,
  inputOf: (row: TaskRow) => Input,
): RegisteredKind['work'] {
  if ('write' in kind) return { write: (row) => kind.write(inputOf(row)) }
  if ('effect' in kind) return { effect: (row) => kind.effect(inputOf(row)) }
  return longWorkOf(kind, inputOf)
}

function longWorkOf<Input, Progress, Result>(
  kind: RunKind<Input, Progress, Result> | WorkerKind<Input>,
  inputOf: (row: TaskRow) => Input,
): LongWork {
  const { isObsolete } = kind
  return {
    concurrency: kind.concurrency,
    attemptMs: kind.attemptMs ?? null,
    stopMs: kind.stopMs ?? 0,
    isReady: () => kind.isReady?.() ?? true,
    isObsolete: isObsolete ? (row) => isObsolete(inputOf(row)) : null,
    amountOf: (row) => {
      const { progress } = taskOf<Input, Progress, Result>(row)
      return 'run' in kind && progress !== null ? (kind.amountOf?.(progress) ?? null) : null
    },
    run: async (row, context) => {
      const task = taskOf<Input, Progress, Result>(row)
      return 'run' in kind ? kind.run(task, context) : runInWorker(kind.worker, task.input, context)
    },
  }
}
