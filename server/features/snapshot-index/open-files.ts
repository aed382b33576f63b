import { LRUCache } from 'lru-cache'
import { asIndexError } from './index-error.ts'
import { type IndexDatabase, openToRead } from './index-file.ts'

/** Files that a thread keeps open: a question about another one costs a millisecond more. */
const mostOpen = 16

/** The index files a thread reads from. */
export class OpenFiles {
  readonly #open = new LRUCache<string, IndexDatabase>({ max: mostOpen, dispose: (db) => db.close() })

  /** Sees one state of the file, whatever is written meanwhile. */
  read<Result>(file: string, question: (db: IndexDatabase) => Result): Result {
    try {
      const db = this.#open.get(file) ?? openToRead(file)
      this.#open.set(file, db)
      return db.transaction(() => question(db))()
    } catch (error) {
      const own = asIndexError(error)
      // What is damaged is to be replaced, and must not stay open.
      this.close(file)
      throw own
    }
  }

  close(file: string): void {
    this.#open.delete(file)
  }
}
