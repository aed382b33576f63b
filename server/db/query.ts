import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type LimitNode,
  type OffsetNode,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  TableNode,
} from 'kysely'
import type { Tables } from './tables/index.ts'

/**
 * SQLite plans a statement anew whenever the bare parameter of its LIMIT is bound, which costs more than most
 * statements take. An expression it takes as it comes.
 */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node)
    this.append(' + 0')
  }

  protected override visitOffset(node: OffsetNode): void {
    super.visitOffset(node)
    this.append(' + 0')
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

/** The table a query writes to; null for one that only reads. */
export function writtenTable(node: RootOperationNode): string | null {
  if (node.kind === 'InsertQueryNode') return node.into?.table.identifier.name ?? null
  const target =
    node.kind === 'UpdateQueryNode' ? node.table : node.kind === 'DeleteQueryNode' ? node.from.froms[0] : undefined
  return target && TableNode.is(target) ? target.table.identifier.name : null
}
