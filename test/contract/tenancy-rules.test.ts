import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { tenancyRules, unlimitedReach, withinReach } from '../../server/db/tenancy.ts'
import { onlyOrgs } from '../../server/platform/actor.ts'
import { freshDatabase } from '../helpers/test-app.ts'

type Rules = typeof tenancyRules

test('a table without a rule, and a rule without a reason, do not compile', () => {
  const { devices, ...others } = tenancyRules
  // @ts-expect-error `tsc -b test` fails when this line compiles
  const incomplete: Rules = others
  // @ts-expect-error and when this one does
  const unreasoned: Rules = { ...tenancyRules, settings: { by: 'none' } }
  expect(incomplete).not.toHaveProperty('devices', devices)
  expect(unreasoned.settings).not.toHaveProperty('because')
})

const db = freshDatabase()
const tables = db
  .statement(`SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'`)
  .pluck()
  .all() as string[]
const columnsOf = (table: string) =>
  db.statement('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]

/** Not ours: the ledger of migrations and the shadow tables of the search index. */
const machinery = (table: string) =>
  table === 'migrations' || table.startsWith('device_search') || table.startsWith('organization_search')

test('every table of the schema has a scoping rule, and every rule a table', () => {
  expect(Object.keys(tenancyRules).sort()).toEqual(tables.filter((table) => !machinery(table)).sort())
})

test('a table that belongs to an organization, site or device is scoped by it', () => {
  /** Reached through a user, a session or a role; the rule in tenancy.ts says why. */
  const exceptions = [
    'audit_chains',
    'audit_logs',
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
  const unscoped = owned.filter((table) => tenancyRules[table as keyof Rules]?.by === 'none')
  expect(unscoped.sort()).toEqual(exceptions)
})

test('a scoping rule names columns that exist, and the site where there is one', () => {
  for (const [table, rule] of Object.entries(tenancyRules)) {
    const columns = columnsOf(table)
    if (rule.by === 'device') expect(columns, table).toContain(rule.device)
    if (rule.by !== 'organization') continue
    expect(columns, table).toContain(rule.org)
    if (rule.site) expect(columns, table).toContain(rule.site)
    else expect(columns, table).not.toContain('site_id')
  }
})

test('a table outside of tenancy can not be queried through a reach', () => {
  const reach = { ...unlimitedReach, orgs: onlyOrgs(['a']) }
  expect(() => withinReach(reach, 'sessions')).toThrow('sessions has no tenancy')
})

test('an empty reach finds nothing, in any table', () => {
  for (const [table, rule] of Object.entries(tenancyRules)) {
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
