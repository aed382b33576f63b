import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { onlyOrgs, unlimitedReach } from '../../server/db/reach.ts'
import { withinReach } from '../../server/db/tenancy.ts'
import { rulesOf, type TableName, tableNames } from '../../server/tables.ts'
import { freshDatabase } from '../helpers/test-app.ts'

const db = freshDatabase()
const tables = db
  .statement(`SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'`)
  .pluck()
  .all() as string[]
const columnsOf = (table: string) =>
  db.statement('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]

test('a table that belongs to an organization, site or device is scoped by it', () => {
  /** Of an organization or a company, or reached through a user; the descriptions of these tables say why. */
  const exceptions = [
    'audit_chains',
    'audit_logs',
    'backup_profiles',
    'config_policy_assignments',
    'configuration_policies',
    'invitations',
    'organization_users',
    'psa_connections',
    'roles',
    'sso_providers',
    'tasks',
  ]
  const owned = tables.filter((table) =>
    columnsOf(table).some((name) => ['org_id', 'site_id', 'device_id'].includes(name)),
  )
  const unscoped = owned.filter((table) => rulesOf(table as TableName).tenancy.by === 'none')
  expect(unscoped.sort()).toEqual(exceptions)
})

test('a scoping rule names columns that exist, and the site where there is one', () => {
  for (const table of tableNames) {
    const rule = rulesOf(table).tenancy
    const columns = columnsOf(table)
    if (rule.by === 'device') expect(columns, table).toContain(rule.device)
    if (rule.by !== 'organization') continue
    expect(columns, table).toContain(rule.org)
    if (rule.site) expect(columns, table).toContain(rule.site)
    else expect(columns, table).not.toContain('site_id')
  }
})

test('a table without tenancy cannot be queried through a reach', () => {
  const reach = { ...unlimitedReach, orgs: onlyOrgs(['a']) }
  expect(() => withinReach(reach, 'sessions')).toThrow('sessions has no tenancy')
})

test('an empty reach finds nothing, in any table', () => {
  for (const table of tableNames) {
    const rule = rulesOf(table).tenancy
    if (rule.by === 'none') continue
    const name = table as 'devices'
    for (const reach of [
      { ...unlimitedReach, orgs: onlyOrgs([]) },
      { ...unlimitedReach, sites: new Set<string>() },
      { ...unlimitedReach, groups: new Set<string>() },
    ]) {
      if (rule.by === 'organization' && reach.sites && (!rule.site || rule.isSeenWithoutSite)) continue
      if (rule.by === 'organization' && reach.groups && !rule.device && !rule.group) continue
      const { sql } = q.selectFrom(name).selectAll().where(withinReach(reach, name)).compile()
      expect(sql, table).toContain('json_each')
      expect(db.all(q.selectFrom(name).selectAll().where(withinReach(reach, name)))).toEqual([])
    }
  }
})
