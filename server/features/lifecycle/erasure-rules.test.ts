import { expect, test } from 'vitest'
import { Database } from '../../db/database.ts'
import { rulesOf, type TableName, tableNames } from '../../tables.ts'
import { tablesThatGoWith } from './erasure-rules.ts'

const db = new Database({ file: ':memory:' })
db.migrate()
const tables = db
  .statement(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`)
  .pluck()
  .all() as TableName[]
const columnsOf = (table: string) =>
  db.statement('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]
interface Reference {
  table: TableName
  from: string
  to: TableName
  on_delete: string
}
const references = tables.flatMap((table) =>
  (
    db.statement('SELECT "table" AS "to", "from", on_delete FROM pragma_foreign_key_list(?)').all(table) as Reference[]
  ).map((reference) => ({ ...reference, table })),
)

test('every table that belongs to an organization, or refers to such a table, is erased, except tasks', () => {
  const goes = (table: TableName) => tableNames.includes(table) && 'goWith' in rulesOf(table).erasure
  const owned = tables.filter((table) => columnsOf(table).some((name) => /^(org|site|device)_id$/.test(name)))
  expect(owned.filter((table) => !goes(table))).toEqual(['tasks'])
  const below = references.filter(({ to, on_delete }) => goes(to) && to !== 'roles' && on_delete !== 'SET NULL')
  expect(below.filter(({ table }) => !goes(table))).toEqual([])
})

test('every erasure rule names columns and references that exist', () => {
  for (const table of tableNames) {
    const rule = rulesOf(table).erasure
    if ('stay' in rule) continue
    if (rule.goWith === 'device') expect(columnsOf(table), table).toContain('device_id')
    if (rule.goWith === 'organization') expect(columnsOf(table), table).toContain('org_id')
    if ('parent' in rule) expect(columnsOf(table), table).toContain(rule.parent)
    if (rule.goWith === 'reference')
      expect(references).toContainEqual(expect.objectContaining({ table, to: rule.to, on_delete: 'CASCADE' }))
  }
})

test('tables are erased before the tables they refer to', () => {
  const order = [...tablesThatGoWith('device'), ...tablesThatGoWith('organization'), 'organizations']
  for (const { table, to, on_delete } of references) {
    if (table === to || on_delete === 'SET NULL' || !order.includes(table) || !order.includes(to)) continue
    expect(order.indexOf(table), `${table} before ${to}`).toBeLessThan(order.indexOf(to))
  }
})

test('tables with references among their own rows declare the parent column', () => {
  const selfish = references.filter(({ table, to, on_delete }) => table === to && on_delete === 'NO ACTION')
  expect(selfish.map(({ table, from }) => [table, from]).sort()).toEqual([
    ['device_groups', 'parent_id'],
    ['roles', 'parent_role_id'],
    ['storage_encryption_keys', 'replaced_by'],
  ])
  for (const { table, from } of selfish) expect(rulesOf(table).erasure).toMatchObject({ parent: from })
})
