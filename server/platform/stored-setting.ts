import type { Database } from '../db/database.ts'
import { q } from '../db/query.ts'
import { fromJson, type JsonText } from '../lib/json.ts'

/** One row of the table of settings. */
export class StoredSetting<T extends object> {
  readonly #db: Database
  readonly #name: string

  constructor(db: Database, name: string) {
    this.#db = db
    this.#name = name
  }

  read(): T | null {
    const value = this.#db.statement<JsonText<T>>('SELECT value FROM settings WHERE name = ?').pluck().get(this.#name)
    return value ? fromJson(value) : null
  }

  write(setting: T | null): void {
    if (!setting) {
      this.#db.run(q.deleteFrom('settings').where('name', '=', this.#name))
      return
    }
    const value = JSON.stringify(setting)
    this.#db.run(
      q
        .insertInto('settings')
        .values({ name: this.#name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
    )
  }
}
