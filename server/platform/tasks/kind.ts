import type { Task } from './task.ts'

/** What is asked for when a task is added. */
export interface NewTask<Input> {
  input: Input
  /** Only one task of an id can be open; a new one replaces one that is over. Made up if missing. */
  id?: string
  orgId?: string
  partnerId?: string
  requestedBy?: string | null
  /** How long to wait before the first attempt. */
  delayMs?: number
  /** Given up when it is not done after so many milliseconds. */
  deadlineMs?: number
}

/** What the work of a task gets. */
export interface TaskContext<Progress> {
  /** Aborts when the task is cancelled or past its deadline, takes too long, or the appliance stops. */
  signal: AbortSignal
  /** Saves the progress and notifies watchers. Joins the transaction under way. */
  progress(progress: Progress): void
}

export type ByHand = 'retry' | 'cancel'

/** The progress of a task, in whatever it counts; `total` is null while it is unknown. */
export interface TaskAmount {
  done: number
  total: number | null
}

interface AnyKind<Input> {
  /** `feature.verb` */
  name: string
  /** What it does, for administrators. */
  description: string
  /** Of tasks with the same key one runs at a time, whatever their kinds; the others wait for it. */
  keyOf?(task: NewTask<Input>): string
  /** How often it is tried before it has failed. 34 unless told otherwise: with the pauses in between, about a day. */
  attempts?: number
  /** How long it can be looked up when it is over; milliseconds. With 0 not at all. What has failed stays anyway. */
  keepMs: number
  /** What an administrator may do with one of them. */
  byHand?: readonly ByHand[]
  /** Joins the transaction that marks the task failed; `reason` as in its `error`. */
  onFailed?(task: Task<Input>, reason: string): void
}

/** An effect that is nothing but writes: they and the end of the task are one transaction, so it happens exactly once. */
export interface WriteKind<Input> extends AnyKind<Input> {
  write(input: Input): void
}

/**
 * An effect that takes but a moment and does not wait, such as to send over a socket that is open. Done at least once:
 * a crash in its middle does it again.
 */
export interface EffectKind<Input> extends AnyKind<Input> {
  effect(input: Input): void
}

interface RunningKind<Input> extends AnyKind<Input> {
  /** How many run at once. */
  concurrency: number
  /** How long one attempt may take; milliseconds. */
  attemptMs?: number
  /** How long one may go on when the appliance stops; milliseconds, 0 unless told otherwise. */
  stopMs?: number
  /** While it is not, its tasks wait. */
  isReady?(): boolean
  /** Whether the task is not needed any more; it is cancelled then. Called for waiting tasks. */
  isObsolete?(input: Input): boolean
}

/** Done at least once: it must bear repetition, from the beginning or from where its progress says. */
export interface RunKind<Input, Progress, Result> extends RunningKind<Input> {
  /** For those who look at all tasks. */
  amountOf?(progress: Progress): TaskAmount
  run(task: Task<Input, Progress, Result>, context: TaskContext<Progress>): Result | Promise<Result>
}

/** Work that computes: a module that calls `workHere`, run in a thread of its own. */
export interface WorkerKind<Input> extends RunningKind<Input> {
  worker: URL
}

export type Kind<Input, Progress, Result> =
  | WriteKind<Input>
  | EffectKind<Input>
  | RunKind<Input, Progress, Result>
  | WorkerKind<Input>
