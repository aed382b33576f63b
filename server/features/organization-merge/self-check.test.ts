import { expect, test } from 'vitest'
import { freshDatabase } from '../../../test/helpers/test-app.ts'
import { assertPoliciesFit } from './self-check.ts'

test('the merge policies fit the current database schema', () => {
  const db = freshDatabase()
  expect(() => assertPoliciesFit(db)).not.toThrow()
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
])('the schema change %s fails the self-check of the merge policies', (change, problem) => {
  const db = freshDatabase()
  db.statement(change).run()
  expect(() => assertPoliciesFit(db)).toThrow(problem)
  db.close()
})
