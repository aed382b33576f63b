import SQLite from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { nameOrder } from '../../shared/names.ts'
import { isTableName, rulesOf, type TableName } from '../tables.ts'
import { folded } from './like.ts'
import { type Migration, migrations } from './migrations/index.ts'
import type { Query } from './query.ts'

export type { TableName } from '../tables.ts'

/** Callbacks of a transaction must be plain functions: an awaited one would let other requests in between. */
export type Plain<T> = T extends PromiseLike<unknown> ? never : T

const maxStatements = 500

const temporaryTriggers = `SELECT name FROM sqlite_temp_schema WHERE type = 'trigger'`

export class Database {
  readonly #sqlite: SQLite.Database
  readonly #statements = new LRUCache<string, SQLite.Statement>({ max: maxStatements })
  /** How often each watched table was written. */
  readonly #versions = new Map<string, number>()
  readonly #dataVersion: SQLite.Statement
  #externalVersion: unknown
  #externalChanges = 0
  #askedOthersAt = Number.NEGATIVE_INFINITY
  #afterCommit: (() => void)[] = []
  /** Tables written by the transaction under way. */
  #touched = new Set<string>()
  /** Those of them whose version has grown since a version was last read: further rows need not make it grow again. */
  readonly #grown = new Set<string>()
  readonly #watches: ((table: string) => void)[] = []

  /** `file` is a path or `:memory:`; `image` is a database serialized before, such as a migrated template. */
  constructor(source: { file: string } | { image: Buffer }) {
    this.#sqlite = 'file' in source ? new SQLite(source.file) : new SQLite(source.image)
    this.#sqlite.pragma('journal_mode = WAL')
    // What a user was told is saved survives a power cut, not only a crash.
    this.#sqlite.pragma('synchronous = FULL')
    this.#sqlite.pragma('foreign_keys = ON')
    // Erased means gone from the file too, and from the backups made of it.
    this.#sqlite.pragma('secure_delete = ON')
    this.#sqlite.pragma('busy_timeout = 5000')
    this.#sqlite.pragma('temp_store = MEMORY')
    this.#sqlite.pragma('cache_size = -65536')
    this.#sqlite.pragma('mmap_size = 268435456')
    this.#sqlite.pragma('journal_size_limit = 67108864')
    // For queries only: the file itself can be read without it.
    const ofText = (make: (text: string) => string) => (value: unknown) =>
      typeof value === 'string' ? make(value) : null
    this.#sqlite.function('name_order', { deterministic: true, directOnly: true }, ofText(nameOrder))
    this.#sqlite.function('folded', { deterministic: true, directOnly: true }, ofText(folded))
    this.#sqlite.function('row_written', (table: string) => this.#written(table))
    this.#dataVersion = this.#sqlite.prepare('PRAGMA data_version').pluck()
    this.#externalVersion = this.#dataVersion.get()
  }

  /** @throws Error when the query writes */
  all<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = query.compile()
    return this.#reading<Row>(sql).all(parameters)
  }

  /** @throws Error when the query writes */
  first<Row>(query: Query<Row>): Row | undefined {
    const { sql, parameters } = query.compile()
    return this.#reading<Row>(sql).get(parameters)
  }

  /**
   * The row of a query that always has one, such as of an id that was just written.
   * @throws Error when there is none, or the query writes
   */
  one<Row>(query: Query<Row>): Row {
    const row = this.first(query)
    if (row === undefined) throw new Error(`There is no such row: ${query.compile().sql}`)
    return row
  }

  /** Runs a write and returns how many rows it changed. */
  run(query: Query<unknown>): number {
    const { sql, parameters } = query.compile()
    return this.statement(sql).run(parameters).changes
  }

  /**
   * As `run`, but does not wait for the disk: for what may be lost in a power cut, such as when a job last ran. It survives
   * a crash of the process, and lasts with the next write that does wait. Inside a transaction it is an ordinary write.
   */
  runUnsynced(query: Query<unknown>): number {
    if (this.#sqlite.inTransaction) return this.run(query)
    this.#sqlite.pragma('synchronous = NORMAL')
    try {
      return this.run(query)
    } finally {
      this.#sqlite.pragma('synchronous = FULL')
    }
  }

  /** A write with `returning`. */
  write<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = query.compile()
    return this.statement<Row>(sql).all(parameters)
  }

  #reading<Row>(sql: string): SQLite.Statement<unknown[], Row> {
    const statement = this.statement<Row>(sql)
    if (!statement.readonly) throw new Error(`A query that only reads writes: ${sql}`)
    return statement
  }

  /**
   * A prepared statement in SQL, for the few places where building one would cost more than running it. `Row` is what it
   * selects, as the SQL says.
   */
  statement<Row = unknown>(sql: string): SQLite.Statement<unknown[], Row> {
    const known = this.#statements.get(sql)
    if (known) return known as SQLite.Statement<unknown[], Row>
    const statement = this.#sqlite.prepare<unknown[], Row>(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** All of it or nothing. Nested calls join the transaction under way. */
  transaction<T>(work: () => Plain<T>): T {
    if (this.#sqlite.inTransaction) return work()
    this.#sqlite.exec('BEGIN IMMEDIATE')
    let result: T
    try {
      result = work()
      if (result instanceof Promise) throw new Error('a transaction must not wait')
      this.#sqlite.exec('COMMIT')
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK')
      this.#afterCommit = []
      for (const table of this.#touched) this.#bump(table)
      throw error
    } finally {
      this.#touched.clear()
      this.#grown.clear()
    }
    const effects = this.#afterCommit
    this.#afterCommit = []
    runAll(effects)
    return result
  }

  /**
   * A transaction in which rows may refer to what is not there yet and nothing cascades, for work that restores the
   * references in several transactions. The caller has to restore them.
   */
  transactionUnchecked<T>(work: () => Plain<T>): T {
    if (this.#sqlite.inTransaction) throw new Error('references are checked by the transaction under way')
    this.#sqlite.pragma('foreign_keys = OFF')
    try {
      return this.transaction(work)
    } finally {
      this.#sqlite.pragma('foreign_keys = ON')
    }
  }

  /** A part of the transaction under way: all of it or nothing of it, whatever becomes of the rest. */
  attempt<T>(work: () => Plain<T>): T {
    if (!this.#sqlite.inTransaction) return this.transaction(work)
    const effects = this.#afterCommit.length
    this.#sqlite.exec('SAVEPOINT part')
    try {
      const result = work()
      this.#sqlite.exec('RELEASE part')
      return result
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK TO part; RELEASE part')
      this.#afterCommit.length = effects
      for (const table of this.#touched) this.#bump(table)
      throw error
    }
  }

  /** Writes the write-ahead log into the file, so that no later commit has to move a lot of it at once. */
  checkpoint(): void {
    this.#sqlite.pragma('wal_checkpoint(PASSIVE)')
  }

  get isInTransaction(): boolean {
    return this.#sqlite.inTransaction
  }

  /** Runs once the transaction under way is on disk, never when it is undone; at once outside of one. */
  afterCommit(effect: () => void): void {
    if (this.#sqlite.inTransaction) this.#afterCommit.push(effect)
    else effect()
  }

  /**
   * Keeps versions of these tables from now on. SQLite itself says which table each written row belongs to: no statement
   * is passed over, nor what foreign keys and triggers do because of it. Every such row costs a call, so tables that no
   * cache depends on are not watched.
   * @throws Error within a transaction, which could undo it
   */
  watch(tables: readonly TableName[]): void {
    const unwatched = tables.filter((table) => !this.#versions.has(table))
    if (unwatched.length === 0) return
    if (this.#sqlite.inTransaction) throw new Error('Watching a table cannot begin in a transaction')
    this.#sqlite.exec(unwatched.flatMap((table) => this.#triggersOf(table)).join(';\n'))
    for (const table of unwatched) this.#versions.set(table, 0)
  }

  /**
   * Changes whenever one of these watched tables may have been written, by this process or another: the key of every
   * cache.
   * @throws Error when one of them is not watched
   */
  version(tables: readonly TableName[]): number {
    this.#noticeOthers()
    this.#grown.clear()
    let sum = this.#externalChanges
    for (const table of tables) {
      const version = this.#versions.get(table)
      if (version === undefined) throw new Error(`The table ${table} is not watched`)
      sum += version
    }
    return sum
  }

  /** Other processes seldom write, and to ask the file for it is most of what a cache costs: once in a millisecond. */
  #noticeOthers(): void {
    const now = performance.now()
    if (now - this.#askedOthersAt < 1) return
    this.#askedOthersAt = now
    const external = this.#dataVersion.get()
    if (external === this.#externalVersion) return
    this.#externalVersion = external
    this.#externalChanges++
  }

  /** They belong to this connection and are not part of the file. */
  #triggersOf(table: string): string[] {
    return this.#watchedEvents(table).map(
      ([event, name]) =>
        `CREATE TEMP TRIGGER ${table}_${name} AFTER ${event} ON main.${table} BEGIN SELECT row_written('${table}'); END`,
    )
  }

  #watchedEvents(table: string): [event: string, name: string][] {
    const passedOver: readonly string[] = isTableName(table) ? (rulesOf(table).unversioned ?? []) : []
    const watched = passedOver.length > 0 ? this.columnsOf(table).filter((column) => !passedOver.includes(column)) : []
    return [
      ['INSERT', 'inserted'],
      [watched.length > 0 ? `UPDATE OF ${watched.join(', ')}` : 'UPDATE', 'updated'],
      ['DELETE', 'deleted'],
    ]
  }

  /** Names of the columns, in the order of the table; none where there is no such table. */
  columnsOf(table: string): string[] {
    return this.#sqlite.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)
  }

  /** Called for each row. */
  #written(table: string): null {
    if (this.#grown.has(table)) return null
    this.#bump(table)
    if (this.#sqlite.inTransaction) {
      this.#touched.add(table)
      this.#grown.add(table)
    }
    return null
  }

  #bump(table: string): void {
    this.#versions.set(table, (this.#versions.get(table) ?? 0) + 1)
    for (const watch of this.#watches) watch(table)
  }

  /** Calls back once for many writes of this process to one of the tables, after their transaction. */
  onWrite(tables: readonly TableName[], listener: () => void): void {
    this.watch(tables)
    const watched = new Set<string>(tables)
    let isDue = false
    this.#watches.push((table) => {
      if (isDue || !watched.has(table)) return
      isDue = true
      setImmediate(() => {
        isDue = false
        listener()
      })
    })
  }

  /** Applies what is missing, each migration in a transaction of its own; returns the names applied. */
  migrate(wanted: readonly Migration[] = migrations): string[] {
    this.#sqlite.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT')
    const applied = new Set(this.#sqlite.prepare('SELECT name FROM migrations').pluck().all())
    const unknown = [...applied].filter((name) => !wanted.some((migration) => migration.name === name))
    if (unknown.length > 0)
      throw new Error(
        `The database was written by a newer version of Homeport (${unknown.join(', ')}); update this one`,
      )
    const missing = wanted.filter((migration) => !applied.has(migration.name))
    for (const migration of missing)
      this.transaction(() => {
        this.#sqlite.exec(migration.sql)
        this.#sqlite
          .prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)')
          .run(migration.name, new Date().toISOString())
      })
    if (missing.length > 0) this.#watchAgain()
    return missing.map(({ name }) => name)
  }

  /** A migration may have made tables anew, and triggers go with their table. */
  #watchAgain(): void {
    const triggers = this.#sqlite.prepare<[], string>(temporaryTriggers).pluck().all()
    const wanted = [...this.#versions.keys()].flatMap((table) => this.#triggersOf(table))
    this.#sqlite.exec([...triggers.map((name) => `DROP TRIGGER ${name}`), ...wanted].join(';\n'))
  }

  /** The schema as SQL text, sorted by name: what the committed dump is compared with. */
  schema(): string {
    const rows = this.#sqlite
      .prepare<[], string>(
        `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
         AND name NOT LIKE '%_search_data' AND name NOT LIKE '%_search_idx' AND name NOT LIKE '%_search_docsize'
         AND name NOT LIKE '%_search_config' ORDER BY tbl_name, type DESC, name`,
      )
      .pluck()
      .all()
    return `${rows.join(';\n\n')};\n`
  }

  serialize(): Buffer {
    return this.#sqlite.serialize()
  }

  /** A consistent copy while others write. */
  backup(file: string): Promise<unknown> {
    return this.#sqlite.backup(file)
  }

  /** Problems SQLite finds in the file; empty when it is whole. */
  check(): string[] {
    const problems = this.#sqlite.prepare<[], string>('PRAGMA integrity_check(20)').pluck().all()
    const broken = this.#sqlite.prepare('PRAGMA foreign_key_check').all().length
    return [
      ...problems.filter((line) => line !== 'ok'),
      ...(broken > 0 ? [`${broken} rows refer to rows that do not exist`] : []),
    ]
  }

  close(): void {
    if (!this.#sqlite.open) return
    this.#sqlite.pragma('optimize')
    this.#sqlite.close()
  }
}

/** Each of them, also when an earlier one fails: they belong to one saved change but not to each other. */
function runAll(effects: readonly (() => void)[]): void {
  const failures: unknown[] = []
  for (const effect of effects)
    try {
      effect()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
}
