import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { table } from '../../server/db/table.ts'
import { rulesOf, type TableName, tableNames } from '../../server/tables.ts'
import { freshDatabase } from '../helpers/test-app.ts'

const db = freshDatabase()
const inFile = db
  .statement(`SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'`)
  .pluck()
  .all() as string[]
const columnsOf = (name: TableName) => db.statement('SELECT name FROM pragma_table_info(?)').pluck().all(name)

test('an incomplete description of a table, and a query on a table that is not described, do not compile', () => {
  const none = { policy: 'none', because: 'a test' } as const
  const tenancy = { by: 'none', because: 'a test' } as const
  // @ts-expect-error `tsc -b test` fails when this line compiles: what does erasure do?
  expect(table<object>({ writtenBy: ['a'], tenancy, merge: none })).toBeDefined()
  // @ts-expect-error what does a merge do?
  expect(table<object>({ writtenBy: ['a'], tenancy, erasure: { stay: 'a test' } })).toBeDefined()
  // @ts-expect-error within what does a query keep?
  expect(table<object>({ writtenBy: ['a'], merge: none, erasure: { stay: 'a test' } })).toBeDefined()
  // @ts-expect-error who writes it?
  expect(table<object>({ writtenBy: [], tenancy, merge: none, erasure: { stay: 'a test' } })).toBeDefined()
  // @ts-expect-error a reason is missing
  expect(table<object>({ writtenBy: ['a'], tenancy: { by: 'none' }, merge: none, erasure: { stay: '' } })).toBeDefined()
  // @ts-expect-error no such table
  expect(q.selectFrom('tomorrow')).toBeDefined()
})

test('every table of the file is described, and every description has a table', () => {
  expect(tableNames.toSorted()).toEqual(inFile.filter((name) => name !== 'migrations').sort())
})

test('each table of an organization is listed after those it refers to', () => {
  const owned = tableNames.filter((name) => 'goWith' in rulesOf(name).erasure && columnsOf(name).includes('org_id'))
  const parents = db.statement(`SELECT "table" FROM pragma_foreign_key_list(?) WHERE on_delete <> 'SET NULL'`).pluck()
  for (const name of owned)
    for (const parent of parents.all(name) as TableName[])
      if (parent !== name && owned.includes(parent))
        expect(owned.indexOf(parent), `${parent} before ${name}`).toBeLessThan(owned.indexOf(name))
})
