import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { Erasure } from '../../server/features/lifecycle/erasure.ts'
import { Purge } from '../../server/features/lifecycle/purge.ts'
import { createAudit } from '../../server/platform/audit.ts'
import { day, hour, iso, minute } from '../../server/platform/clock.ts'
import { silentLog } from '../../server/platform/log.ts'
import { Tasks } from '../../server/platform/tasks/index.ts'
import { createOrganization, deleteOrganization, listOrganizations } from '../../shared/api/organizations.ts'
import { eventually } from '../helpers/eventually.ts'
import { member, otherCompany, person } from '../helpers/factories.ts'
import { fillOrganization } from '../helpers/full-organization.ts'
import { mailRows, mailsOf, mailToFiles } from '../helpers/mail.ts'
import { mailServer, Reply } from '../helpers/mail-server.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { testSeal } from '../helpers/seal.ts'
import { archiving } from './archive-kit.ts'

type Scene = Awaited<ReturnType<typeof archiving>>

/** Archives the organization, to be purged after so many days. */
async function archived(scene: Scene, retentionDays: number) {
  await scene.patch({ status: 'suspended' })
  const { body } = await scene.archive({ retentionDays })
  return body.purgeAt as string
}

async function erased(scene: Scene): Promise<void> {
  await eventually(async () => expect(scene.row(), JSON.stringify(await scene.erasures())).toBeUndefined())
}

const warned = async ({ app }: Scene) => (await mailsOf(app)).filter(({ kind }) => kind === 'purge-warning')

test('an organization is purged when its retention ends, and not before', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  fillOrganization(app.db, { id: org.id, partnerId: admin.partnerId })
  const purgeAt = await archived(scene, 30)
  scene.pass(30 - 1 / 86_400)
  await scene.sweep()
  expect(scene.row()?.status).toBe('archived')
  app.clock.advance(1000)
  await scene.sweep()
  await erased(scene)
  const ids = { orgId: org.id, orgName: org.name, partnerId: admin.partnerId }
  const enqueued = { ...ids, purgeAt, erasureJobId: `tenant-erasure-${org.id}` }
  expect(auditOf(app, 'org.archive.purge_enqueued')).toMatchObject([{ org_id: null, details: enqueued }])
  expect(auditOf(app, 'tenant.erasure.completed')).toMatchObject([{ org_id: null, details: ids }])
  expect((await scene.read()).status).toBe(404)
  expect((await scene.restore()).status).toBe(404)
})

test('an organization stays archived as long as a snapshot of it is on legal hold', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  fillOrganization(app.db, { id: org.id, partnerId: admin.partnerId })
  const snapshots = q.updateTable('backup_snapshots').where('org_id', '=', org.id)
  app.db.run(snapshots.set({ legal_hold: 1 }))
  await archived(scene, 30)
  scene.pass(31)
  await scene.sweep()
  await scene.sweep()
  expect(scene.row()?.status).toBe('archived')
  expect(auditOf(app, 'org.archive.purge_enqueued')).toEqual([])
  const refusals = () => auditOf(app, 'tenant.erasure.refused_legal_hold')
  expect(refusals()).toMatchObject([{ org_id: null, result: 'denied', details: { heldSnapshots: expect.any(Number) } }])
  scene.pass(1)
  await scene.sweep()
  expect(refusals()).toHaveLength(2)
  // Nor while one is immutable, which ends by itself.
  app.db.run(snapshots.set({ legal_hold: 0, is_immutable: 1, immutable_until: iso(app.clock.now() + day) }))
  await scene.sweep()
  expect(scene.row()?.status).toBe('archived')
  scene.pass(1)
  await scene.sweep()
  await erased(scene)
})

test('an organization with a snapshot on legal hold cannot be deleted until the hold is released', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  fillOrganization(app.db, { id: org.id, partnerId: admin.partnerId })
  const snapshots = q.updateTable('backup_snapshots').where('org_id', '=', org.id)
  app.db.run(snapshots.set({ legal_hold: 1 }))
  const remove = () => app.call(deleteOrganization, { params: { id: org.id } }, { token: admin.token })
  const before = scene.row()
  const { status, body } = await remove()
  expect([status, body.code]).toEqual([409, 'org_has_legal_hold'])
  expect(scene.row()).toEqual(before)
  const tried = { result: 'denied', resource_id: org.id, details: { refusal: 'org_has_legal_hold' } }
  expect(auditOf(app, 'organization.delete')).toMatchObject([tried])
  app.db.run(snapshots.set({ legal_hold: 0, is_immutable: 1, immutable_until: iso(app.clock.now() + day) }))
  expect((await remove()).body.code).toBe('org_has_legal_hold')
  app.db.run(snapshots.set({ is_immutable: 0 }))
  expect((await remove()).status).toBe(200)
})

test('the slug of a purged organization is free again', async () => {
  await using scene = await archiving()
  const again = async () =>
    scene.app.call(
      createOrganization,
      { body: { name: 'Berlin', slug: scene.org.slug } },
      { token: await scene.token() },
    )
  await archived(scene, 1)
  expect((await again()).status).toBe(409)
  scene.pass(1)
  await scene.sweep()
  await erased(scene)
  expect((await again()).status).toBe(201)
})

test('37: two sweeps in a row start one erasure and send one mail per threshold', async () => {
  await using scene = await archiving(mailToFiles)
  const { app, org } = scene
  await archived(scene, 30)
  await Promise.all([scene.sweep(), scene.sweep()])
  await scene.sweep()
  expect(await warned(scene)).toEqual([])
  scene.pass(16)
  for (let times = 0; times < 3; times++) await scene.sweep()
  expect(await warned(scene)).toHaveLength(1)
  scene.pass(13)
  for (let times = 0; times < 3; times++) await scene.sweep()
  expect(await warned(scene)).toHaveLength(2)
  const sent = auditOf(app, 'org.archive.purge_warning_sent')
  expect(sent.map(({ org_id, details }) => [org_id, details.daysBefore, details.recipients])).toEqual([
    [null, 14, 1],
    [null, 1, 1],
  ])
  expect(sent[0]?.details).toMatchObject({ orgId: org.id, orgName: org.name })
  scene.pass(1)
  for (let times = 0; times < 3; times++) await scene.sweep()
  await erased(scene)
  expect(auditOf(app, 'org.archive.purge_enqueued')).toHaveLength(1)
  expect(auditOf(app, 'tenant.erasure.completed')).toHaveLength(1)
  expect(await warned(scene)).toHaveLength(2)
})

test('a late warning sends only the last one', async () => {
  await using scene = await archiving(mailToFiles)
  const purgeAt = await archived(scene, 30)
  scene.pass(29.5)
  await scene.sweep()
  const [mail, ...others] = await warned(scene)
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: scene.admin.email })
  expect(mail?.text).toContain(scene.org.name)
  expect(mail?.text).toContain(new Date(purgeAt).getUTCFullYear().toString())
  expect(scene.row()).toMatchObject({
    purge_warn_14_sent_at: expect.any(String),
    purge_warn_1_sent_at: expect.any(String),
  })
})

test('only administrators of the company who see the organization are warned', async () => {
  await using scene = await archiving(mailToFiles)
  const { app, org, admin } = scene
  const other = await otherCompany(app)
  const colleague = (email: string, who: object) =>
    member(app, { email, scope: 'partner', partnerId: admin.partnerId, ...who })
  await colleague('ben@acme.test', {})
  await colleague('chosen@acme.test', { orgAccess: 'selected', orgIds: [org.id] })
  await colleague('elsewhere@acme.test', { orgAccess: 'selected', orgIds: [other.org.id] })
  await colleague('nowhere@acme.test', { orgAccess: 'none' })
  await colleague('viewer@acme.test', { role: 'Partner Viewer' })
  const gone = await colleague('gone@acme.test', {})
  app.db.run(q.updateTable('users').set({ status: 'disabled' }).where('id', '=', gone.id))
  await member(app, { email: 'local@acme.test', scope: 'organization', orgId: org.id })
  await archived(scene, 10)
  await scene.sweep()
  expect((await warned(scene)).map(({ to }) => to).sort()).toEqual([
    'ada@acme.test',
    'ben@acme.test',
    'chosen@acme.test',
  ])
})

test('a warning that cannot be queued is not marked as sent, and goes out with the next sweep', async () => {
  await using scene = await archiving(mailToFiles)
  const { app } = scene
  await archived(scene, 10)
  app.db
    .statement(
      `CREATE TRIGGER full BEFORE INSERT ON tasks WHEN new.kind = 'mail.send' BEGIN SELECT raise(ABORT, 'disk full'); END`,
    )
    .run()
  await scene.sweep()
  expect(scene.row()).toMatchObject({ purge_warn_14_sent_at: null, purge_warn_1_sent_at: null })
  expect(auditOf(app, 'org.archive.purge_warning_sent')).toEqual([])
  app.db.statement('DROP TRIGGER full').run()
  await scene.sweep()
  expect(await warned(scene)).toHaveLength(1)
})

test('a restore resets the warnings, and the next archive warns again', async () => {
  await using scene = await archiving(mailToFiles)
  await archived(scene, 10)
  await scene.sweep()
  expect(await warned(scene)).toHaveLength(1)
  await scene.restore()
  expect(scene.row()).toMatchObject({ purge_warn_14_sent_at: null, purge_warn_1_sent_at: null })
  await scene.archive({ retentionDays: 10 })
  await scene.sweep()
  expect(await warned(scene)).toHaveLength(2)
})

test('a restore withdraws the queued warning, and the next one names the organization', async () => {
  let isBusy = true
  await using server = await mailServer({
    atRecipient: () => {
      if (isBusy) throw new Reply(450, '4.2.0 Come again')
    },
  })
  await using scene = await archiving(server.env)
  const { app, org } = scene
  const waiting = () => mailRows(app.db)
  await archived(scene, 1)
  await scene.sweep()
  await eventually(() =>
    expect(waiting()).toMatchObject([{ kind: 'purge-warning', status: 'queued', last_error: expect.any(String) }]),
  )
  await scene.restore()
  expect(waiting()).toEqual([])
  isBusy = false
  scene.pass(1 / 24)
  await scene.archive({ retentionDays: 1 })
  await scene.sweep()
  await eventually(() => expect(waiting()).toMatchObject([{ status: 'sent' }]))
  expect(server.received).toHaveLength(1)
  expect(server.received[0]?.raw).toMatch(`Subject: Archived organization will be deleted: ${org.name}`)
})

test.each(['sweep', 'restore'] as const)(
  'of a restore and a purge at the same time, the %s first, one wins',
  async (first) => {
    await using scene = await archiving()
    await archived(scene, 1)
    scene.pass(1)
    await scene.token()
    const both = { sweep: () => scene.sweep(), restore: () => scene.restore() }
    const begun = [both[first](), both[first === 'sweep' ? 'restore' : 'sweep']()]
    const restored = (await Promise.all(begun)).find((answer) => 'status' in answer)
    const purges = auditOf(scene.app, 'org.archive.purge_enqueued').length
    if (restored?.status === 200) {
      expect(purges).toBe(0)
      expect(scene.row()).toMatchObject({ status: 'suspended', purge_at: null })
    } else {
      // The erasure may have finished already.
      expect([404, 410]).toContain(restored?.status)
      expect(purges).toBe(1)
      await erased(scene)
    }
  },
)

test('a purge that is due does not begin after a restore', async () => {
  await using scene = await archiving()
  const { db, clock } = scene.app
  const audit = createAudit(db, clock, testSeal)
  const deps = { db, clock, audit, tasks: new Tasks(db, clock, silentLog()), secrets: testSeal }
  const purge = new Purge({ ...deps, erasure: new Erasure(deps) })
  await archived(scene, 1)
  scene.pass(1)
  const [due] = purge.due()
  expect(due?.id).toBe(scene.org.id)
  await scene.restore()
  purge.begin(due as typeof due & object)
  expect(scene.row()?.status).toBe('suspended')
  expect((await scene.erasures()).body.data).toEqual([])
  // Archived again, it has another purge with another date.
  await scene.archive({ retentionDays: 5 })
  purge.begin(due as typeof due & object)
  expect(scene.row()?.status).toBe('archived')
})

test('38: after a purge the log still shows who archived the organization, when and for how long', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  const at = iso(app.clock.now())
  await archived(scene, 1)
  scene.pass(1)
  await scene.sweep()
  await erased(scene)
  // Besides the other events of the organization.
  const left = app.db.all(q.selectFrom('audit_logs').select('action').where('org_id', '=', org.id).orderBy('seq'))
  expect(left.map(({ action }) => action)).toEqual(['organization.create', 'organization.update'])
  expect(auditOf(app, 'org.archive.requested')).toMatchObject([
    {
      timestamp: at,
      actor_id: admin.userId,
      actor_email: admin.email,
      resource_id: org.id,
      resource_name: org.name,
      details: { durable: true, retentionDays: 1, purgeAt: iso(Date.parse(at) + day) },
    },
  ])
})

test('an organization being purged answers 404 everywhere, and its erasure reports progress', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  await archived(scene, 1)
  await app.app.tasks.stop()
  app.clock.advance(day)
  await scene.sweep()
  scene.pass(0)
  const other = await otherCompany(app)
  const { partnerId } = admin
  const seer = await person(app, {
    email: 'seer@acme.test',
    scope: 'partner',
    partnerId,
    orgAccess: 'selected',
    orgIds: [org.id],
  })
  const stranger = await person(app, { email: 'stranger@acme.test', scope: 'partner', partnerId, orgAccess: 'none' })
  const operator = await person(app, { email: 'op@platform.test', scope: 'system' })
  const local = await person(app, { email: 'local@umbrella.test', scope: 'organization', orgId: other.org.id })
  expect((await scene.read()).status).toBe(404)
  expect((await scene.restore()).status).toBe(410)
  const list = await app.call(listOrganizations, {}, { token: await scene.token() })
  expect(list.body.data).toEqual([])
  const waiting = {
    orgId: org.id,
    orgName: org.name,
    partnerId,
    state: 'waiting',
    done: 0,
    total: null,
    finishedAt: null,
    mergedInto: null,
  }
  expect((await scene.erasures()).body.data).toMatchObject([waiting])
  expect((await scene.erasures(operator.token)).body.data).toMatchObject([waiting])
  expect((await scene.erasures(seer.token)).body.data).toMatchObject([waiting])
  expect((await scene.erasures(stranger.token)).body.data).toEqual([])
  expect((await scene.erasures(other.admin.token)).body.data).toEqual([])
  expect((await scene.erasures(local.token)).status).toBe(403)
  app.app.tasks.start()
  await erased(scene)
  // The last step deletes the row of the organization, and the task ends after that.
  await eventually(async () => {
    const [done] = (await scene.erasures()).body.data
    expect(done).toMatchObject({ orgId: org.id, orgName: org.name, state: 'completed' })
    expect(done?.done).toBe(done?.total)
  })
  scene.pass(8)
  expect((await scene.erasures()).body.data).toEqual([])
})

test('a purge without progress is restarted five times and then given up once', async () => {
  await using scene = await archiving()
  const { app, org } = scene
  app.db.statement(`CREATE TRIGGER broken BEFORE DELETE ON sites BEGIN SELECT raise(ABORT, 'I/O error'); END`).run()
  await archived(scene, 1)
  scene.pass(1)
  await scene.sweep()
  const failures = () => auditOf(app, 'tenant.erasure.failed').length
  const failed = async (times: number) => {
    await expect.poll(failures, { interval: 5 }).toBe(times)
    await scene.sweep()
    expect(failures()).toBe(times)
    app.clock.advance(16 * minute)
    await scene.sweep()
  }
  for (let times = 1; times <= 6; times++) await failed(times)
  app.clock.advance(hour)
  await scene.sweep()
  const again = auditOf(app, 'org.archive.purge_recovery_reenqueued')
  expect(again.map(({ org_id, details }) => [org_id, details.attempt])).toEqual([1, 2, 3, 4, 5].map((n) => [null, n]))
  expect(auditOf(app, 'org.archive.purge_recovery_exhausted')).toMatchObject([{ org_id: null, resource_id: org.id }])
  expect(scene.row()?.status).toBe('purging')
  scene.pass(0)
  expect((await scene.erasures()).body.data).toMatchObject([{ state: 'failed' }])
})

test('a purge that waits for its turn is not taken for a stalled one', async () => {
  await using scene = await archiving()
  const { app } = scene
  await archived(scene, 1)
  await app.app.tasks.stop()
  scene.pass(1)
  await scene.sweep()
  app.clock.advance(2 * hour)
  await scene.sweep()
  expect(scene.row()).toMatchObject({ status: 'purging', purge_recovery_attempts: 0 })
  app.app.tasks.start()
  await erased(scene)
  expect(auditOf(app, 'org.archive.purge_recovery_reenqueued')).toEqual([])
})

test('a purge whose task was lost is started again after a quarter of an hour', async () => {
  await using scene = await archiving()
  const { app, org } = scene
  setOrganization(app, org.id, { status: 'purging', updated_at: iso(app.clock.now()) })
  await scene.sweep()
  expect(auditOf(app, 'org.archive.purge_recovery_reenqueued')).toEqual([])
  app.clock.advance(16 * minute)
  await scene.sweep()
  await erased(scene)
  expect(auditOf(app, 'org.archive.purge_recovery_reenqueued')).toHaveLength(1)
})
