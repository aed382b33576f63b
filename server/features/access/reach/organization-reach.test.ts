import { expect, test } from 'vitest'
import { bootstrapped, organizationOf, otherCompany } from '../../../../test/helpers/factories.ts'
import { testApp } from '../../../../test/helpers/test-app.ts'
import { hiddenInSql } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { everyOrg, type OrgReach, onlyOrgs } from '../../../db/reach.ts'
import { withinReach } from '../../../db/tenancy.ts'
import { reachesOrg } from '../../../platform/actor.ts'
import { OrganizationReaches } from './organization-reach.ts'

const allBut = (...ids: string[]): OrgReach => ({ of: 'all-but', ids: new Set(ids) })

test('with one partner, it and the system reach all organizations except archived and deleted ones', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  await organizationOf(app, admin.token, 'One')
  const two = await organizationOf(app, admin.token, 'Two')
  const index = new OrganizationReaches(app.db)
  expect([index.ofPartner(admin.partnerId), index.ofSystem()]).toEqual([everyOrg, everyOrg])

  const change = (values: { status?: 'archived' | 'active'; deleted_at?: string }) =>
    app.db.run(q.updateTable('organizations').set(values).where('id', '=', two.id))
  change({ status: 'archived' })
  expect([index.ofPartner(admin.partnerId), index.ofSystem()]).toEqual([allBut(two.id), allBut(two.id)])
  change({ status: 'active' })
  expect(index.ofPartner(admin.partnerId)).toEqual(everyOrg)
  change({ deleted_at: new Date(0).toISOString() })
  const without = { ...allBut(two.id), deleted: new Set([two.id]) }
  expect([index.ofPartner(admin.partnerId), index.ofSystem()]).toEqual([without, without])
})

test('each of two partners reaches only its own organizations, also by a selection that names others', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const own = await organizationOf(app, admin.token, 'Own')
  const other = await otherCompany(app)
  const index = new OrganizationReaches(app.db)
  const seen = (partnerId: string) =>
    [own.id, other.org.id, 'nonsense'].filter((id) => reachesOrg({ orgs: index.ofPartner(partnerId) }, id))
  expect([seen(admin.partnerId), seen(other.partnerId)]).toEqual([[own.id], [other.org.id]])
  app.db.run(q.updateTable('organizations').set({ status: 'archived' }).where('id', '=', own.id))
  expect([seen(admin.partnerId), seen(other.partnerId)]).toEqual([[], [other.org.id]])
  app.db.run(q.updateTable('organizations').set({ status: 'active' }).where('id', '=', own.id))
  expect(index.ofSystem()).toEqual(everyOrg)
  const selection = [own.id, other.org.id, 'nonsense']
  expect(index.selected(admin.partnerId, selection)).toEqual(onlyOrgs([own.id]))
  const deletedAt = new Date(0).toISOString()
  app.db.run(q.updateTable('organizations').set({ deleted_at: deletedAt }))
  expect(index.selected(admin.partnerId, selection)).toEqual({ ...onlyOrgs([]), deleted: new Set([own.id]) })
  expect(index.selected(admin.partnerId, [])).toEqual(onlyOrgs([]))
  expect(index.ofPartner(other.partnerId).deleted).toEqual(new Set([other.org.id]))
})

test('with two partners, the reach of one holds no list of organization ids and finds only its own rows', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const own = await organizationOf(app, admin.token, 'Own')
  const other = await otherCompany(app)
  const orgs = new OrganizationReaches(app.db).ofPartner(admin.partnerId)
  expect(orgs.ids.size).toBe(0)
  const found = (table: 'organizations' | 'sites') =>
    app.db.all(
      q
        .selectFrom(table)
        .select('id')
        .where(withinReach({ orgs, sites: null, groups: null }, table)),
    )
  expect(found('organizations')).toEqual([{ id: own.id }])
  expect(found('sites')).toEqual([])
  expect(other.site.orgId).toBe(other.org.id)
})

test('the query for hidden organizations uses the index organizations_hidden', async () => {
  await using app = await testApp()
  const plan = app.db.statement(`EXPLAIN QUERY PLAN SELECT id FROM organizations WHERE ${hiddenInSql}`).all() as {
    detail: string
  }[]
  expect(plan.map(({ detail }) => detail).join()).toContain('organizations_hidden')
})
