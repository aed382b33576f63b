import { type CompiledQuery, DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * SQLite looks at the value of a bare parameter when it plans, and so plans anew whenever one is bound: that costs more
 * than most statements take. Behind a plus it takes the value as it comes.
 */
class Compiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }
}

/**
 * Kysely as a typed builder of SQL, without a connection: `Database` runs what it builds. SQLite answers inside this
 * process, so queries are ordinary synchronous calls; a transaction is one function that nothing can interleave with.
 */
export const q = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  },
})

export interface Query<Row> {
  compile(): CompiledQuery<Row>
}
