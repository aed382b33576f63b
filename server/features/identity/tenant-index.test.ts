import { expect, test } from 'vitest'
import { bootstrapped, organizationOf, otherCompany } from '../../../test/helpers/factories.ts'
import { testApp } from '../../../test/helpers/test-app.ts'
import { q } from '../../db/query.ts'
import { TenantIndex } from './tenant-index.ts'

test('alone on the box and hiding nothing, a company reaches all; any exception is spelled out', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const one = await organizationOf(app, admin.token, 'One')
  const two = await organizationOf(app, admin.token, 'Two')
  const index = new TenantIndex(app.db)
  expect([index.ofPartner(admin.partnerId), index.ofSystem()]).toEqual(['all', 'all'])

  const change = (values: { status?: 'archived' | 'active'; deleted_at?: string }) =>
    app.db.run(q.updateTable('organizations').set(values).where('id', '=', two.id))
  change({ status: 'archived' })
  expect([index.ofPartner(admin.partnerId), index.ofSystem()]).toEqual([new Set([one.id]), new Set([one.id])])
  change({ status: 'active' })
  expect(index.ofPartner(admin.partnerId)).toBe('all')
  change({ deleted_at: new Date(0).toISOString() })
  expect(index.ofPartner(admin.partnerId)).toEqual(new Set([one.id]))
})

test('two companies see their own, and a selection never reaches into the other', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const own = await organizationOf(app, admin.token, 'Own')
  const other = await otherCompany(app)
  const index = new TenantIndex(app.db)
  expect(index.ofPartner(admin.partnerId)).toEqual(new Set([own.id]))
  expect(index.ofPartner(other.partnerId)).toEqual(new Set([other.org.id]))
  expect(index.ofSystem()).toBe('all')
  expect(index.selected(admin.partnerId, [own.id, other.org.id, 'nonsense'])).toEqual(new Set([own.id]))
})

test('what hides an organization is looked up in an index, not in the table', async () => {
  await using app = await testApp()
  const plan = app.db
    .statement(
      "EXPLAIN QUERY PLAN SELECT 1 FROM organizations WHERE (deleted_at IS NOT NULL OR status IN ('archived', 'purging')) LIMIT 1",
    )
    .all() as { detail: string }[]
  expect(plan.map(({ detail }) => detail).join()).toContain('organizations_hidden')
})
