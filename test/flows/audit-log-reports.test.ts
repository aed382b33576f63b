import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../server/platform/actor.ts'
import {
  readAuditStats,
  reportCompliance,
  reportSecurityEvents,
  reportUserActivity,
} from '../../shared/api/audit-log.ts'
import { writer } from '../helpers/audit-writer.ts'
import { company, organizationOf, otherCompany } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { bulk } from './audit-kit.ts'

let app: TestApp
let own: Awaited<ReturnType<typeof company>>
let query: { orgId: string; from: string; to: string }
beforeAll(async () => {
  app = await testApp()
  own = await company(app)
  const org = await organizationOf(app, own.admin.token, 'Reported')
  query = { orgId: org.id, from: '2026-03-02T00:00:00.000Z', to: '2026-03-03T00:00:00.000Z' }
  const { userId, email, partnerId } = own.admin
  const ada = writer(app, { kind: 'user', userId, email, partnerId } as unknown as Actor)
  const box = writer(app)
  const orgId = org.id
  const timestamp = '2026-03-02T12:00:00.000Z'
  for (const action of ['user.login', 'device.update', 'device.delete', 'role.update', 'audit_logs.export'])
    ada({ action, orgId, timestamp })
  for (const action of ['user.login.failed', 'agent.enroll', 'data.access']) box({ action, orgId, timestamp })
  ada({ action: 'device.update', orgId, timestamp: '2026-03-04T00:00:00.000Z' })
})
afterAll(() => app[Symbol.asyncDispose]())

const asAda = () => ({ token: own.admin.token })

test('the activity report counts events per user, the busiest first', async () => {
  const { body } = await app.call(reportUserActivity, { query }, asAda())
  const ada = { userId: own.admin.userId, userName: 'Ada Admin', userEmail: own.admin.email, actionCount: 5 }
  expect(body).toMatchObject({ totalUsers: 2, totalEvents: 8, truncated: false })
  expect(body.actionsPerUser).toEqual([
    { ...ada, lastActiveAt: '2026-03-02T12:00:00.000Z' },
    expect.objectContaining({ userName: 'System', userEmail: '', actionCount: 3 }),
  ])
  expect(body.topUsers).toEqual(body.actionsPerUser)
  expect(body.recentActivity).toHaveLength(8)
})

test('the activity report shows the five busiest users and the ten newest events separately', async () => {
  const org = await organizationOf(app, own.admin.token, 'Crowded')
  for (const [index, count] of [1, 2, 3, 1, 2, 3].entries()) {
    const write = writer(app, { kind: 'person', userId: `u${index}`, email: `u${index}@x.test` } as Actor)
    for (let n = 0; n < count; n++) write({ orgId: org.id, resourceName: `${index} ${n}` })
  }
  const { body } = await app.call(reportUserActivity, { query: { orgId: org.id } }, asAda())
  // Six users, and the creator of the organization.
  expect(body).toMatchObject({ totalUsers: 7, totalEvents: 13 })
  expect(body.actionsPerUser).toHaveLength(7)
  expect(body.topUsers).toEqual(body.actionsPerUser.slice(0, 5))
  expect(body.recentActivity.map(({ resource }) => resource.name).slice(0, 4)).toEqual(['5 2', '5 1', '5 0', '4 1'])
  expect(body.recentActivity).toHaveLength(10)
})

test('the security report has sign-ins and changes of permissions', async () => {
  const { body } = await app.call(reportSecurityEvents, { query }, asAda())
  const { byAction, recentEvents, ...counts } = body
  expect(counts).toEqual({ totalEvents: 4, truncated: false, loginAttempts: 2, failedLogins: 1, permissionChanges: 1 })
  expect(byAction).toContainEqual({ action: 'role.update', count: 1 })
  expect(recentEvents).toHaveLength(4)
})

test('the compliance report counts access, changes and exports', async () => {
  const { body } = await app.call(reportCompliance, { query }, asAda())
  const { byAction, recentEvents, ...counts } = body
  expect(counts).toEqual({ totalEvents: 4, truncated: false, dataAccess: 1, dataChanges: 2, exports: 1 })
  expect(byAction.map(({ count }) => count)).toEqual([1, 1, 1, 1])
  expect(recentEvents[0]).toHaveProperty('resource.type', 'thing')
  const org = await organizationOf(app, own.admin.token, 'Once')
  for (const action of ['contact.export', 'device.recovery_key.reveal']) writer(app)({ action, orgId: org.id })
  const once = await app.call(reportCompliance, { query: { orgId: org.id } }, asAda())
  expect(once.body, 'each counts once').toMatchObject({ totalEvents: 3, dataAccess: 1, dataChanges: 1, exports: 1 })
})

test('the category report counts events by category and by user', async () => {
  const { body } = await app.call(readAuditStats, { query }, asAda())
  expect(body.byCategory).toEqual(
    expect.arrayContaining([
      { category: 'system', count: 3 },
      { category: 'device', count: 2 },
      { category: 'authentication', count: 2 },
      { category: 'compliance', count: 1 },
    ]),
  )
  expect(body.byUser.map(({ actionCount }) => actionCount)).toEqual([5, 3])
  const { orgId: _, ...range } = query
  expect(body).toMatchObject({ totalEvents: 8, truncated: false, range })
  const always = await app.call(readAuditStats, {}, asAda())
  expect(always.body.range).toEqual({ from: null, to: null })
})

test('a report covers the newest 5,000 events and is marked as truncated beyond that', async () => {
  const org = await organizationOf(app, own.admin.token, 'Busy')
  bulk(app, org.id, 4999, 'busy')
  const { body } = await app.call(readAuditStats, { query: { orgId: org.id } }, asAda())
  expect(body).toMatchObject({ totalEvents: 5000, truncated: false })
  expect(body.byCategory).toEqual([
    { category: 'system', count: 4989 },
    { category: 'device', count: 10 },
    { category: 'organization', count: 1 },
  ])
  bulk(app, org.id, 1, 'busier')
  const more = await app.call(readAuditStats, { query: { orgId: org.id } }, asAda())
  expect(more.body).toMatchObject({ totalEvents: 5000, truncated: true })
})

test('a report covers only events within the reach of the caller', async () => {
  const other = await otherCompany(app)
  for (const endpoint of [reportUserActivity, reportSecurityEvents, reportCompliance, readAuditStats]) {
    const own = await app.call(endpoint, {}, other.admin)
    expect(JSON.stringify(own.body), endpoint.name).not.toContain('Ada')
    const { status, body } = await app.call(endpoint, { query: { orgId: query.orgId } }, other.admin)
    expect([status, body.code], endpoint.name).toEqual([403, 'org_access_denied'])
    const wrong = await app.call(endpoint, { query: { from: 'never' } }, asAda())
    expect(Object.keys((wrong.body.details as { fieldErrors: object }).fieldErrors), endpoint.name).toEqual(['from'])
  }
})
