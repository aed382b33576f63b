import { beforeAll, beforeEach, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, iso } from '../../server/platform/clock.ts'
import { listAuditEvents, readAuditRetention, updateAuditRetention } from '../../shared/api/audit-log.ts'
import { writer } from '../helpers/audit-writer.ts'
import { bootstrapped, organizationOf, otherCompany, person, signIn } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { behindItsBack } from './audit-kit.ts'

let app: TestApp
let partnerId: string
let token: string
beforeAll(async () => {
  app = await testApp()
  partnerId = (await bootstrapped(app)).partnerId
  return () => app[Symbol.asyncDispose]()
})
beforeEach(async () => {
  token = await signIn(app, 'ada@acme.test')
})

const asAda = () => ({ token })
const named = (orgId: string) =>
  app.db
    .all(q.selectFrom('audit_logs').select('resource_name').where('org_id', '=', orgId).orderBy('seq'))
    .map((row) => row.resource_name)
const chainOf = (orgId: string) => app.db.first(q.selectFrom('audit_chains').selectAll().where('org_id', '=', orgId))

const keep = (id: string, retentionDays: number, caller = asAda()) =>
  app.call(updateAuditRetention, { params: { id }, body: { retentionDays } }, caller)

/** Runs the nightly clean-up and then the check of the chains. */
async function night(box = app) {
  expect((await box.app.jobs.runNow('audit-log.clean')).lastOutcome).toBe('success')
  await box.app.jobs.runNow('audit-log.check')
  expect(box.db.all(q.selectFrom('audit_chains').select('id').where('checked_at', 'is', null))).toEqual([])
}

/** An organization with an event on each of these days; the last one is today. */
async function scene({ days = [], keeps }: { days?: number[]; keeps?: number } = {}) {
  const org = await organizationOf(app, token)
  if (keeps) await keep(org.id, keeps)
  const write = writer(app)
  const last = Math.max(0, ...days)
  const began = app.clock.now()
  for (const at of days) {
    app.clock.advance(began + at * day - app.clock.now())
    write({ orgId: org.id, resourceName: `${last - at} days old` })
  }
  return org
}

test('an organization keeps its events for a year by default', async () => {
  const org = await scene()
  const params = { id: org.id }
  const { body } = await app.call(readAuditRetention, { params }, asAda())
  expect(body).toEqual({ data: { orgId: org.id, configured: false, retentionDays: 365, lastCleanupAt: null } })
  const changed = await keep(org.id, 30)
  const data = { orgId: org.id, configured: true, retentionDays: 30, lastCleanupAt: null }
  expect([changed.status, changed.body]).toEqual([200, { data }])
  expect((await app.call(readAuditRetention, { params }, asAda())).body).toEqual({ data })
  const details = { changedFields: ['retentionDays'], before: { retentionDays: 365 }, after: { retentionDays: 30 } }
  const told = () => auditOf(app, 'organization.audit_retention.update').filter((row) => row.resource_id === org.id)
  // Shortening a log is recorded in the log of the partner, where it does not expire with it.
  expect(told()).toMatchObject([
    { org_id: org.id, partner_id: partnerId, details },
    { org_id: null, partner_id: partnerId, details },
  ])
  await keep(org.id, 31)
  expect(told().slice(2)).toMatchObject([{ org_id: org.id }])
})

test.each<unknown>([0, 3651, 1.5, '30', null])('a retention of %s days is refused', async (retentionDays) => {
  const org = await scene()
  const { status, body } = await keep(org.id, retentionDays as number)
  expect([status, Object.keys((body.details as { fieldErrors: object }).fieldErrors)]).toEqual([400, ['retentionDays']])
})

test('the retention of an organization out of reach cannot be read or set', async () => {
  const org = await scene()
  const other = await otherCompany(app)
  const auditor = await person(app, { email: 'viewer@x.test', scope: 'partner', partnerId, role: 'Partner Viewer' })
  expect((await app.call(readAuditRetention, { params: { id: other.org.id } }, asAda())).status).toBe(404)
  expect((await keep(other.org.id, 30)).status).toBe(404)
  expect((await keep(org.id, 30, auditor)).status).toBe(403)
  setOrganization(app, org.id, { status: 'merging' })
  expect((await keep(org.id, 30)).body.code).toBe('ORG_LIFECYCLE_FROZEN')
  setOrganization(app, org.id, { status: 'archived' })
  expect((await app.call(readAuditRetention, { params: { id: org.id } }, asAda())).status).toBe(404)
})

test('events older than the retention are deleted, oldest first, and the chain stays intact', async () => {
  const org = await scene({ days: [1, 2, 30, 50, 60], keeps: 20 })
  const [, oldest] = auditOf(app, 'test.done').filter((event) => event.org_id === org.id)
  await night()
  expect(named(org.id)).toEqual(['10 days old', '0 days old'])
  const now = iso(app.clock.now())
  expect(chainOf(org.id)).toMatchObject({ length: 2, fault: null, cleaned_at: now, checked_at: now })
  expect(oldest?.checksum).not.toBe(chainOf(org.id)?.anchor)
  token = await signIn(app, 'ada@acme.test')
  const { body } = await app.call(listAuditEvents, { query: { orgId: org.id } }, asAda())
  expect([body.data.length, body.pagination.total]).toEqual([2, 2])
  expect((await app.call(readAuditRetention, { params: { id: org.id } }, asAda())).body.data.lastCleanupAt).toBe(now)
  writer(app)({ orgId: org.id, resourceName: 'new' })
  await night()
  expect(chainOf(org.id)).toMatchObject({ length: 3, fault: null })
})

test('the newest event stays however old it is, because the next one is chained to it', async () => {
  const org = await scene({ days: [1, 2], keeps: 10 })
  app.clock.advance(1000 * day)
  await night()
  expect(named(org.id)).toEqual(['0 days old'])
  writer(app)({ orgId: org.id, resourceName: 'new' })
  await night()
  expect(named(org.id)).toEqual(['new'])
  expect(chainOf(org.id)).toMatchObject({ fault: null, length: 1 })
})

test('deletion stops at the first event that is not old, so that one with an old date written late stays', async () => {
  const org = await scene({ days: [1], keeps: 10 })
  const write = writer(app)
  write({ orgId: org.id, resourceName: 'late', timestamp: iso(app.clock.now() - 100 * day) })
  await night()
  expect(named(org.id)).toContain('late')
})

test('events of the company are kept as long as the longest retention of its organizations', async () => {
  const own = () =>
    app.db
      .all(
        q
          .selectFrom('audit_logs')
          .select('resource_name')
          .where('org_id', 'is', null)
          .where('partner_id', '=', partnerId),
      )
      .map((row) => row.resource_name)
  const write = (resourceName: string) => writer(app)({ partnerId, resourceName })
  const keepAll = (audit_retention_days: number | null) =>
    app.db.run(q.updateTable('organizations').set({ audit_retention_days }))
  await scene({ keeps: 400 })
  write('of the company')
  app.clock.advance(390 * day)
  await night()
  expect(own()).toContain('of the company')
  keepAll(7)
  write('newer')
  await night()
  expect(own()).not.toContain('of the company')
  app.clock.advance(100 * day)
  write('newest')
  const [chooser] = app.db.all(q.selectFrom('organizations').select('id'))
  keepAll(null)
  setOrganization(app, chooser?.id ?? '', { audit_retention_days: 7 })
  await night()
  expect(own(), 'without a choice they are kept for a year').toContain('newer')
  keepAll(7)
  setOrganization(app, chooser?.id ?? '', { audit_retention_days: 3650, deleted_at: 'x' })
  await night()
  expect(own(), 'nor does one that is gone').not.toContain('newer')
})

test('a tampered event is deleted when it expires, and the fault is recorded', async () => {
  const org = await scene({ days: [1, 2, 60], keeps: 20 })
  const [changed] = auditOf(app, 'test.done').filter((event) => event.org_id === org.id)
  behindItsBack(app, `UPDATE audit_logs SET action = 'test.nothing' WHERE seq = ${changed?.seq}`)
  await night()
  expect(named(org.id)).toEqual(['0 days old'])
  expect(chainOf(org.id)).toMatchObject({ fault: 'changed', fault_seq: changed?.seq })
})

test('the fault found first stays on record when more tampered events expire', async () => {
  const org = await scene({ days: [1, 2, 60], keeps: 20 })
  const [first, second] = auditOf(app, 'test.done').filter((event) => event.org_id === org.id)
  const tamperWith = (seq?: number) => behindItsBack(app, `UPDATE audit_logs SET action = 'x' WHERE seq = ${seq}`)
  tamperWith(second?.seq)
  await app.app.jobs.runNow('audit-log.check')
  tamperWith(first?.seq)
  await night()
  expect(named(org.id)).toEqual(['0 days old'])
  expect(chainOf(org.id)).toMatchObject({ fault: 'changed', fault_seq: second?.seq })
})

test('events erased with their organization are neither cleaned up nor taken for tampering', async () => {
  const org = await scene({ days: [1, 2, 60], keeps: 20 })
  const [, second] = auditOf(app, 'test.done').filter((event) => event.org_id === org.id)
  const task = { id: org.id, kind: 'organization.erase', org_id: org.id, partner_id: partnerId, input: '{}' }
  const active = { state: 'active', lease_until: iso(app.clock.now() + day), created_at: iso(app.clock.now()) } as const
  app.db.run(q.insertInto('tasks').values({ ...task, ...active }))
  behindItsBack(app, `DELETE FROM audit_logs WHERE seq = ${second?.seq}`)
  for (const name of ['audit-log.clean', 'audit-log.check']) await app.app.jobs.runNow(name)
  expect(chainOf(org.id)).toMatchObject({ fault: null, checked_at: null, cleaned_at: null })
  app.db.run(q.deleteFrom('audit_chains').where('org_id', '=', org.id))
  await app.app.jobs.runNow('audit-log.check')
  expect(chainOf(org.id)).toBeUndefined()
  const failed = { state: 'failed', lease_until: null, finished_at: iso(app.clock.now()) } as const
  app.db.run(q.updateTable('tasks').set(failed).where('id', '=', org.id))
  await night()
  expect(chainOf(org.id)?.fault).toBe('added')
})

test('the count of a search is refreshed after some of its events have expired', async () => {
  const org = await scene({ days: [1, 2, 60], keeps: 20 })
  const found = async () => {
    token = await signIn(app, 'ada@acme.test')
    const query = { orgId: org.id, action: 'test.done' }
    const { body } = await app.call(listAuditEvents, { query }, asAda())
    expect(body.data).toHaveLength(body.pagination.total)
    return body.pagination.total
  }
  expect(await found()).toBe(3)
  await night()
  expect(await found()).toBe(1)
})

test('AUDIT_RETENTION_ENABLED=false keeps everything', async () => {
  await using box = await testApp({ env: { AUDIT_RETENTION_ENABLED: 'false' } })
  await bootstrapped(box)
  const count = box.db.statement('SELECT count(*) FROM audit_logs').pluck()
  const before = count.get()
  writer(box)({})
  box.clock.advance(4000 * day)
  writer(box)({})
  await night(box)
  expect(count.get()).toBe(Number(before) + 2)
})

test('an interrupted deletion leaves an intact chain and continues the next time', async () => {
  const org = await scene({ keeps: 10 })
  const write = writer(app)
  app.db.transaction(() => {
    for (let n = 0; n < 1000; n++) write({ orgId: org.id, resourceName: `${n}` })
  })
  const stop = app.db.first(q.selectFrom('audit_logs').select('seq').where('resource_name', '=', '700'))?.seq
  const { length: before = 0 } = chainOf(org.id) ?? {}
  app.clock.advance(60 * day)
  app.db
    .statement(
      `CREATE TRIGGER power_cut BEFORE DELETE ON audit_logs WHEN old.seq = ${stop} BEGIN SELECT RAISE(ABORT, 'cut'); END`,
    )
    .run()
  expect((await app.app.jobs.runNow('audit-log.clean')).lastOutcome).toBe('failure')
  app.db.statement('DROP TRIGGER power_cut').run()
  const { length: left = 0 } = chainOf(org.id) ?? {}
  expect([left < before, left]).toEqual([true, named(org.id).length])
  await app.app.jobs.runNow('audit-log.check')
  expect(chainOf(org.id)?.fault).toBeNull()
  await night()
  expect(named(org.id)).toEqual(['999'])
  expect(chainOf(org.id)).toMatchObject({ fault: null, length: 1 })
})
