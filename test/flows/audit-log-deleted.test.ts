import { expect, onTestFinished, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day } from '../../server/platform/clock.ts'
import { downloadAuditLog, listAuditChains, listAuditEvents, readAuditEvent } from '../../shared/api/audit-log.ts'
import { archiveOrganization } from '../../shared/api/lifecycle.ts'
import { mergeOrganization } from '../../shared/api/organization-merge.ts'
import { deleteOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import { showFactor } from '../contract/stage.ts'
import { writer } from '../helpers/audit-writer.ts'
import { eventually } from '../helpers/eventually.ts'
import { bootstrapped, holdings, organizationOf, otherCompany, person, signIn } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { behindItsBack } from './audit-kit.ts'

/** Who created, changed and ended an organization stays readable for those who could read it before. */

async function scene({ isAlone = false } = {}) {
  const app = await testApp({ env: { ORG_MERGE_FENCE_DRAIN_MS: '0' } })
  onTestFinished(() => app[Symbol.asyncDispose]())
  const admin = await bootstrapped(app)
  showFactor(app, admin.userId)
  const { org } = await holdings(app, admin.token, 'Leaving')
  const stays = await organizationOf(app, admin.token, 'Staying')
  const who = { scope: 'partner', partnerId: admin.partnerId } as const
  const seer = await person(app, { ...who, email: 'seer@x.test', orgAccess: 'selected', orgIds: [org.id, stays.id] })
  const stranger = await person(app, { ...who, email: 'stranger@x.test', orgAccess: 'selected', orgIds: [stays.id] })
  const nobody = await person(app, { ...who, email: 'none@x.test', orgAccess: 'none' })
  const neighbour = await person(app, { email: 'org@x.test', scope: 'organization', orgId: stays.id })
  const others = { stranger, nobody, neighbour }
  const foreign = isAlone ? {} : { foreign: (await otherCompany(app)).admin }
  return { app, admin, org, stays, seer, others: { ...others, ...foreign } }
}
type Scene = Awaited<ReturnType<typeof scene>>

/** What this caller reads in the log of an organization that no longer exists. */
async function toldTo(app: TestApp, token: string, orgId: string) {
  const { status, body } = await app.call(listAuditEvents, { query: { limit: '100' } }, { token })
  expect(status).toBe(200)
  expect(body.pagination.total).toBe(body.data.length)
  return body.data.filter((event) => event.orgId === orgId)
}
const actionsOf = (events: { action: string }[]) => events.map(({ action }) => action)

/** Nobody else can read it in any way. */
async function expectHidden({ app, org, others }: Pick<Scene, 'app' | 'org' | 'others'>) {
  const ids = app.db.all(q.selectFrom('audit_logs').select('id').where('org_id', '=', org.id))
  for (const [name, { token }] of Object.entries(others)) {
    expect(await toldTo(app, token, org.id), name).toEqual([])
    for (const { id } of ids)
      expect((await app.call(readAuditEvent, { params: { id } }, { token })).status, name).toBe(404)
    const chains = (await app.call(listAuditChains, { query: { limit: '100' } }, { token })).body.data
    expect(
      chains.map(({ orgId }) => orgId),
      name,
    ).not.toContain(org.id)
  }
}

/** The chains of the company are intact and include those of deleted organizations. */
async function chainOf({ app, admin, org }: Scene, token = admin.token) {
  await app.app.jobs.runNow('audit-log.check')
  const { body } = await app.call(listAuditChains, { query: { limit: '100' } }, { token })
  return body.data.find(({ orgId }) => orgId === org.id)
}

const erased = ({ app, org }: Scene) =>
  eventually(() =>
    expect(app.db.first(q.selectFrom('organizations').select('id').where('id', '=', org.id))).toBeUndefined(),
  )

test.each([true, false])(
  'the deletion of an organization is readable by those who saw it (alone on the box: %s)',
  async (isAlone) => {
    const made = await scene({ isAlone })
    const { app, admin, org, seer } = made
    const before = actionsOf(await toldTo(app, admin.token, org.id))
    await app.call(deleteOrganization, { params: { id: org.id } }, { token: admin.token })
    for (const { token } of [admin, seer]) {
      const [newest, ...older] = await toldTo(app, token, org.id)
      expect(newest).toMatchObject({ action: 'organization.delete', orgName: 'Leaving', user: { id: admin.userId } })
      expect(actionsOf(older)).toEqual(before)
      const { body } = await app.call(listAuditEvents, { query: { orgId: org.id, limit: '100' } }, { token })
      expect(body.data).toHaveLength(before.length + 1)
      expect((await app.call(readAuditEvent, { params: { id: newest?.id ?? '' } }, { token })).status).toBe(200)
    }
    const operator = await person(app, { email: 'op@x.test', scope: 'system' })
    const { status } = await app.call(listAuditEvents, { query: { orgId: org.id } }, { token: operator.token })
    expect(status).toBe(200)
    expect((await app.call(downloadAuditLog, {}, { token: admin.token })).body).toContain('organization.delete')
    await expectHidden(made)
    expect(await chainOf(made)).toMatchObject({ orgName: 'Leaving', fault: null, events: before.length + 1 })
  },
)

test('a purge keeps who created an organization and changed its status, in an intact chain of its own', async () => {
  const made = await scene()
  const { app, admin, org } = made
  const device = { resourceType: 'device', orgId: org.id }
  writer(app)({ ...device, resourceName: 'pc-secret', action: 'device.update' })
  const params = { id: org.id }
  await app.call(updateOrganization, { params, body: { maxDevices: 7 } }, { token: admin.token })
  await app.call(updateOrganization, { params, body: { status: 'suspended' } }, { token: admin.token })
  const created = (await toldTo(app, admin.token, org.id)).find(({ action }) => action === 'organization.create')
  const archived = await app.call(archiveOrganization, { params, body: { retentionDays: 1 } }, { token: admin.token })
  expect(archived.body).toMatchObject({ status: 'archived' })
  expect(await toldTo(app, admin.token, org.id), 'what is archived is out of sight').toEqual([])
  app.clock.advance(day)
  await app.app.jobs.runNow('tenants.sweep')
  await erased(made)

  app.db.run(q.updateTable('users').set({ mfa_enabled: 0, mfa_method: null }).where('id', '=', admin.userId))
  const token = await signIn(app, admin.email)
  const left = await toldTo(app, token, org.id)
  expect(left.map(({ action, user }) => [action, user.id])).toEqual([
    ['organization.update', admin.userId],
    ['organization.create', admin.userId],
  ])
  expect(left[0]?.details).toMatchObject({ fromStatus: 'active', toStatus: 'suspended' })
  expect(left[1], 'word for word').toEqual({ ...created, orgName: null })
  const log = JSON.stringify(app.db.all(q.selectFrom('audit_logs').selectAll()))
  expect(log).not.toContain('pc-secret')
  expect(await chainOf(made, token)).toMatchObject({ orgName: null, fault: null, events: 2 })
  const others = { ...made.others, seer: made.seer }
  for (const one of Object.values(others)) one.token = await signIn(app, one.email)
  await expectHidden({ ...made, others })
})

test.each([true, false])(
  'after a merge the events of creating and merging the loser are readable (alone on the box: %s)',
  async (isAlone) => {
    const made = await scene({ isAlone })
    const { app, admin, org, stays } = made
    const body = { survivorId: stays.id }
    await app.call(mergeOrganization, { params: { id: org.id }, body }, { token: admin.token })
    await erased(made)
    expect(actionsOf(await toldTo(app, admin.token, org.id))).toEqual(['organization.create'])
    const asked = (await toldTo(app, admin.token, stays.id)).find(({ action }) => action === 'org.merge.requested')
    expect(asked).toMatchObject({ user: { id: admin.userId }, resource: { id: org.id, name: 'Leaving' } })
    expect(await chainOf(made)).toMatchObject({ fault: null, events: 1 })
    await expectHidden(made)

    // The merge is still readable when the survivor is merged into another organization.
    const last = await organizationOf(app, admin.token, 'Last')
    await app.call(
      mergeOrganization,
      { params: { id: stays.id }, body: { survivorId: last.id } },
      { token: admin.token },
    )
    await erased({ ...made, org: stays })
    expect(actionsOf(await toldTo(app, admin.token, stays.id))).toEqual(['org.merge.requested', 'organization.create'])
  },
)

test('an erasure keeps tampering with the chain detectable', async () => {
  const made = await scene()
  const { app, admin, org, stays } = made
  behindItsBack(
    app,
    `UPDATE audit_logs SET actor_email = 'x' WHERE action = 'organization.create' AND org_id = '${org.id}'`,
  )
  await app.call(mergeOrganization, { params: { id: org.id }, body: { survivorId: stays.id } }, { token: admin.token })
  await erased(made)
  expect(await chainOf(made)).toMatchObject({ fault: { kind: 'changed', eventId: null }, events: 1 })
})

test('the known fault of a chain stays on record when its organization is erased', async () => {
  const made = await scene()
  const { app, admin, org, stays } = made
  behindItsBack(app, `DELETE FROM audit_logs WHERE action = 'site.create' AND org_id = '${org.id}'`)
  await app.app.jobs.runNow('audit-log.check')
  await app.call(mergeOrganization, { params: { id: org.id }, body: { survivorId: stays.id } }, { token: admin.token })
  await erased(made)
  expect(await chainOf(made)).toMatchObject({ fault: { kind: 'missing', eventId: null }, events: 1 })
})

test('the remaining events expire with the longest retention of the company, and the chain with the last of them', async () => {
  const made = await scene()
  const { app, admin, org, stays } = made
  app.db.run(q.updateTable('organizations').set({ audit_retention_days: 100 }))
  await app.call(mergeOrganization, { params: { id: org.id }, body: { survivorId: stays.id } }, { token: admin.token })
  await erased(made)
  const left = () => app.db.all(q.selectFrom('audit_logs').select('id').where('org_id', '=', org.id)).length
  const night = async () => {
    for (const name of ['audit-log.clean', 'audit-log.check']) await app.app.jobs.runNow(name)
  }
  app.clock.advance(99 * day)
  await night()
  expect(left(), 'as long as the longest of the others').toBe(1)
  app.clock.advance(2 * day)
  await night()
  expect(left()).toBe(0)
  expect(app.db.all(q.selectFrom('audit_chains').select('id').where('org_id', '=', org.id))).toEqual([])
  expect(app.db.all(q.selectFrom('audit_chains').select('id').where('fault', 'is not', null))).toEqual([])
})

test('the log of a deleted organization keeps the retention of that organization', async () => {
  const made = await scene()
  const { app, admin, org } = made
  app.db.run(q.updateTable('organizations').set({ audit_retention_days: 1000 }).where('id', '=', org.id))
  await app.call(deleteOrganization, { params: { id: org.id } }, { token: admin.token })
  app.clock.advance(900 * day)
  await app.app.jobs.runNow('audit-log.clean')
  const left = q.selectFrom('audit_logs').select('action').where('org_id', '=', org.id)
  expect(actionsOf(app.db.all(left))).toContain('organization.create')
})
