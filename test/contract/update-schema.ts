import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Database } from '../../server/db/database.ts'

/** The schema as it is committed, so that review sees a change of it. Written by `node test/contract/update-schema.ts`. */
export const dumpFile = join(import.meta.dirname, '../../server/db/schema.sql')

if (import.meta.main) {
  const db = new Database({ file: ':memory:' })
  db.migrate()
  writeFileSync(dumpFile, db.schema())
  db.close()
}
