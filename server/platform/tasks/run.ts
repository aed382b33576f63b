import type { LongWork, RegisteredKind } from './registered-kind.ts'
import type { TaskRow } from './task.ts'

/** Why an attempt is aborted. */
export type EndedBy = 'stop' | 'cancel' | 'deadline' | 'attempt limit' | 'lost lease'

const words: Record<EndedBy, string> = {
  stop: 'The appliance stops',
  cancel: 'The task was canceled',
  deadline: 'The task is past its deadline',
  'attempt limit': 'The attempt took too long',
  'lost lease': 'The task was taken over',
}

/** One attempt at a task, in this process. */
export class Run {
  readonly row: TaskRow
  readonly kind: RegisteredKind
  readonly work: LongWork
  /** When its lease has to be renewed, on the monotonic clock; milliseconds. */
  renewAt: number
  hasBegun = false
  endedBy: EndedBy | null = null
  readonly #abort = new AbortController()
  readonly #over = Promise.withResolvers<void>()

  constructor(row: TaskRow, kind: RegisteredKind, work: LongWork, renewAt: number) {
    this.row = row
    this.kind = kind
    this.work = work
    this.renewAt = renewAt
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Its end is saved, or left to the end of its lease. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  end(by: EndedBy): void {
    if (this.endedBy !== null) return
    this.endedBy = by
    this.#abort.abort(new DOMException(words[by], 'AbortError'))
  }

  isOver(): void {
    this.#over.resolve()
  }
}
