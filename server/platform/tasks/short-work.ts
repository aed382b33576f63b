import type { Database } from '../../db/database.ts'
import { pieceMs } from '../../lib/turns.ts'
import type { Endings, Outcome } from './endings.ts'
import type { RegisteredKind } from './registered-kind.ts'
import type { TaskStore } from './store.ts'
import type { TaskRow } from './task.ts'

interface ShortWorkOptions {
  db: Database
  store: TaskStore
  endings: Endings
}

/** Tasks that are over within one turn, so that they are never marked as active. */
export class ShortWork {
  readonly #options: ShortWorkOptions

  constructor(options: ShortWorkOptions) {
    this.#options = options
  }

  /** Writes as much as fits into a piece, each task together with its end. False when none is due. */
  write(kind: RegisteredKind, write: (row: TaskRow) => void): boolean {
    const { db, store } = this.#options
    const until = performance.now() + pieceMs
    const due = store.someDue(kind.name)
    if (due.length === 0) return false
    db.transaction(() => {
      for (const row of due) {
        this.#writeOne(kind, row, write)
        if (performance.now() > until) return
      }
    })
    return true
  }

  /** Has as many effects as fit into a piece, and saves their ends in one transaction. False when none is due. */
  effect(kind: RegisteredKind, effect: (row: TaskRow) => void): boolean {
    const { db, store } = this.#options
    const until = performance.now() + pieceMs
    const done: [TaskRow, Outcome][] = []
    for (const row of store.someDue(kind.name)) {
      done.push([row, outcomeOf(() => effect(row))])
      if (performance.now() > until) break
    }
    if (done.length === 0) return false
    db.transaction(() => {
      for (const [row, outcome] of done) this.#end(row, kind, outcome)
    })
    return true
  }

  #writeOne(kind: RegisteredKind, row: TaskRow, write: (row: TaskRow) => void): void {
    const { db } = this.#options
    try {
      db.attempt(() => {
        write(row)
        this.#end(row, kind, { result: undefined })
      })
    } catch (error) {
      // A full disk, for example, undoes the whole transaction.
      if (!db.isInTransaction) throw error
      this.#end(row, kind, { error })
    }
  }

  /** The attempt is counted only where the task is kept. */
  #end(row: TaskRow, kind: RegisteredKind, outcome: Outcome): void {
    const { endings, store } = this.#options
    const isForgotten = kind.keepMs === 0 && 'result' in outcome
    const attempt = isForgotten ? row : store.claim(row)
    if (attempt) endings.save(attempt, kind, null, outcome)
  }
}

function outcomeOf(work: () => void): Outcome {
  try {
    work()
    return { result: undefined }
  } catch (error) {
    return { error }
  }
}
