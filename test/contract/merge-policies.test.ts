import { expect, test } from 'vitest'
import type { Database } from '../../server/db/database.ts'
import type { MergeRule } from '../../server/db/table.ts'
import { customMerges } from '../../server/features/organization-merge/custom.ts'
import { isTableName, rulesOf } from '../../server/tables.ts'
import { freshDatabase } from '../helpers/test-app.ts'

/** What a merge does with each table; a row that no policy takes along would be erased with the merged organization. */

test('the merge policies fit the tables', () => {
  const db = freshDatabase()
  expect(problemsIn(db)).toEqual([])
  db.close()
})

test.each([
  ['CREATE TABLE tickets (id TEXT PRIMARY KEY, org_id TEXT NOT NULL)', 'tickets has an org_id and no policy'],
  [
    'ALTER TABLE device_hardware ADD COLUMN org_id TEXT',
    'device_hardware has its own org_id and cannot just follow its parent',
  ],
  ['CREATE UNIQUE INDEX site_names ON sites (org_id, name)', 'sites may collide on site_names'],
  [
    'CREATE TABLE extras (member_id TEXT REFERENCES organization_users (id))',
    'organization_users loses rows that others refer to',
  ],
  ['ALTER TABLE psa_connections RENAME COLUMN org_id TO owner_id', 'psa_connections has no org_id to repoint'],
])('the schema change %s does not fit the merge policies', (change, problem) => {
  const db = freshDatabase()
  db.statement(change).run()
  expect(problemsIn(db)).toContainEqual(expect.stringContaining(problem))
  db.close()
})

const problemsIn = (db: Database): string[] =>
  tablesOf(db).flatMap((table) =>
    problemsOf(db, table, isTableName(table) ? rulesOf(table).merge : undefined).map(
      (problem) => `${table} ${problem}`,
    ),
  )

function problemsOf(db: Database, table: string, policy: MergeRule | undefined): string[] {
  const columns = db.columnsOf(table)
  const hasOrg = columns.includes('org_id')
  if (!policy) return hasOrg ? ['has an org_id and no policy'] : []
  if (!hasOrg) return isMoved(policy) ? [`has no org_id to ${policy.policy}`] : []
  if (policy.policy === 'follows-parent') return ['has its own org_id and cannot just follow its parent']
  if (!isMoved(policy)) return []
  const unique = uniquesWithOrg(db, table)
  return [
    ...(columns.includes('id') ? [] : ['has no id to find a row by']),
    ...(policy.policy === 'custom' && !customOf(table) ? ['is not in the list of custom merges'] : []),
    ...(policy.policy === 'repoint' && unique.length > 0 ? [`may collide on ${unique.join(' and ')}`] : []),
    ...(drops(table, policy) && isParent(db, table) ? ['loses rows that others refer to'] : []),
  ]
}

const customOf = (table: string) => (isTableName(table) ? customMerges[table] : undefined)
const isMoved = ({ policy }: MergeRule) => policy === 'repoint' || policy === 'dedupe' || policy === 'custom'
const drops = (table: string, { policy }: MergeRule) => policy === 'dedupe' || customOf(table)?.drops !== undefined

/** Two rows of two organizations may become equal there; not where the id of the row is part of it. */
const uniquesWithOrg = (db: Database, table: string): string[] =>
  db
    .statement<string>(
      `SELECT name FROM pragma_index_list(@table) AS i WHERE "unique"
         AND EXISTS (SELECT 1 FROM pragma_index_info(i.name) WHERE name = 'org_id')
         AND NOT EXISTS (SELECT 1 FROM pragma_index_info(i.name) WHERE name = 'id')`,
    )
    .pluck()
    .all({ table })

const isParent = (db: Database, table: string): boolean =>
  db
    .statement(
      `SELECT 1 FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
       WHERE t.schema = 'main' AND f."table" = ? LIMIT 1`,
    )
    .get(table) !== undefined

const tablesOf = (db: Database): string[] =>
  db.statement<string>(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'`).pluck().all()
