import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Database } from '../../server/db/database.ts'
import { migrations } from '../../server/db/migrations/index.ts'
import { freshDatabase } from '../helpers/test-app.ts'
import { dumpFile } from './update-schema.ts'

test('the committed schema equals the one that the migrations make', () => {
  using db = disposable(freshDatabase())
  const committed = readFileSync(dumpFile, 'utf8')
  expect(db.value.schema(), 'the schema changed: run `node test/contract/update-schema.ts`').toBe(committed)
})

test('migrating twice changes nothing the second time', () => {
  using db = disposable(new Database({ file: ':memory:' }))
  expect(db.value.migrate()).toEqual(migrations.map(({ name }) => name))
  const before = db.value.schema()
  expect(db.value.migrate()).toEqual([])
  expect(db.value.schema()).toBe(before)
})

test('migrations are numbered without a gap, in the order in which they run', () => {
  const numbers = migrations.map(({ name }) => Number(/^(\d{3})-[a-z0-9-]+$/.exec(name)?.[1]))
  expect(numbers).toEqual(migrations.map((_, index) => index + 1))
})

test('every table is strict, and a fresh database is whole', () => {
  using db = disposable(freshDatabase())
  const loose = db.value
    .statement(
      `SELECT name FROM pragma_table_list
       WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
    )
    .pluck()
    .all()
  expect(loose).toEqual([])
  expect(db.value.check()).toEqual([])
})

test('every reference to another table has an index behind it', () => {
  // Without one, deleting the row referred to reads the whole table. These are small or never deleted from.
  const small = ['partners', 'organizations', 'roles', 'permissions', 'users', 'enrollment_keys', 'sites']
  using db = disposable(freshDatabase())
  const missing = db.value
    .statement(
      `SELECT t.name || '.' || f."from" AS reference, f."table" AS target
       FROM pragma_table_list t, pragma_foreign_key_list(t.name) f
       WHERE t.schema = 'main' AND f.seq = 0 AND NOT EXISTS (
         SELECT 1 FROM pragma_index_list(t.name) i, pragma_index_info(i.name) c WHERE c.seqno = 0 AND c.name = f."from")`,
    )
    .all() as { reference: string; target: string }[]
  expect(missing.filter(({ target }) => !small.includes(target))).toEqual([])
})

const disposable = (value: Database) => ({ value, [Symbol.dispose]: () => value.close() })
