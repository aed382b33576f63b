import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { mergeOrganization } from '../../shared/api/organization-merge.ts'
import { listSites } from '../../shared/api/sites.ts'
import { closeCode } from '../../shared/device/socket.ts'
import { showFactor } from '../contract/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { holdings, member, otherCompany, person } from '../helpers/factories.ts'
import { connect, fakeDevice, listening, refusedHandshake } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf, setOrganization } from '../helpers/rows.ts'
import { addContact, addGroup, addLink, addMembership, mergeScene, orgOf, rowsOf } from './merge-kit.ts'

/** A merge either completes or leaves no trace: failures, the fence, and crashes. */

/** The tables that record a merge which was undone. */
const traces = ['audit_logs', 'audit_chains', 'tasks', 'sessions', 'job_runs']

test('a merge that fails half-way leaves every row with the loser, in its old status, and the run failed', async () => {
  const { app, loser, survivor, run } = await mergeScene()
  setOrganization(app, loser.org.id, { status: 'trial' })
  for (const { org } of [loser, survivor]) {
    const contact = addContact(app, org.id, { is_primary: 1, roles: toJson(['billing']), email: 'b@x.test' })
    addLink(app, org.id, contact, '1')
    const { id } = await member(app, { email: `${org.slug}@x.test`, scope: 'organization', orgId: survivor.org.id })
    addMembership(app, loser.org.id, id, findBuiltInRole(app.db, 'Org Admin', 'organization') as string, [])
  }
  const before = rowsOf(app, ...traces)
  // The devices are the last to move.
  app.db
    .statement(`CREATE TRIGGER fails BEFORE UPDATE OF org_id ON devices BEGIN SELECT raise(ABORT, 'no room'); END`)
    .run()
  const { failedReason, progress } = await run('failed')
  app.db.statement('DROP TRIGGER fails').run()
  expect(failedReason).toBe('internal_error')
  expect(progress).toMatchObject({ phase: 'undoing', movedRows: 0 })
  expect(rowsOf(app, ...traces)).toEqual(before)
  expect(app.db.check()).toEqual([])
  expect(auditOf(app, 'org.merge.failed')).toMatchObject([
    { org_id: null, resource_id: loser.org.id, result: 'failure', details: { reason: 'internal_error' } },
  ])
  expect(auditOf(app, 'org.merge.completed')).toEqual([])
  expect((await fakeDevice(app, loser.device).beat()).status).toBe(200)
  // Another attempt is possible.
  await run('completed')
  expect(orgOf(app, 'devices', loser.device.deviceId)).toBe(survivor.org.id)
})

test('a device that moved to a site of the survivor during the merge returns to its own when the merge is undone', async () => {
  const { app, survivor, run } = await mergeScene()
  const before = rowsOf(app, ...traces)
  app.db
    .statement(
      `CREATE TRIGGER enrolls AFTER UPDATE OF org_id ON devices WHEN new.org_id = '${survivor.org.id}'
       BEGIN UPDATE devices SET site_id = '${survivor.site.id}' WHERE id = new.id; END`,
    )
    .run()
  app.db
    .statement(`CREATE TRIGGER fails BEFORE INSERT ON org_merge_events BEGIN SELECT raise(ABORT, 'no room'); END`)
    .run()
  await run('failed')
  expect(rowsOf(app, ...traces)).toEqual(before)
  expect(app.db.check()).toEqual([])
})

test('group memberships made by rules during the merge are removed when it is undone', async () => {
  const { app, loser, survivor, run } = await mergeScene()
  const [own, theirs] = [loser, survivor].map(({ org }) => addGroup(app, org.id, null, [])) as [string, string]
  const before = rowsOf(app, ...traces)
  const joins = (what: string, group: string, device: string) =>
    app.db
      .statement(
        `CREATE TRIGGER joins_${what} AFTER UPDATE OF org_id ON ${what} WHEN new.org_id = '${survivor.org.id}' BEGIN
           INSERT INTO device_group_members (group_id, device_id, added_by, added_at)
           VALUES ('${group}', '${device}', 'dynamic_rule', ''); END`,
      )
      .run()
  joins('devices', theirs, loser.device.deviceId)
  joins('device_groups', own, survivor.device.deviceId)
  app.db
    .statement(`CREATE TRIGGER fails BEFORE INSERT ON org_merge_events BEGIN SELECT raise(ABORT, 'no room'); END`)
    .run()
  await run('failed')
  expect(rowsOf(app, ...traces)).toEqual(before)
})

test('phase 0: a merge fails if its requester is no longer allowed to merge when it begins', async () => {
  const { app, admin, loser, survivor, merge, ended } = await mergeScene()
  const ofAdmin = q.updateTable('partner_users').where('user_id', '=', admin.userId)
  const roleOf = (name: string) => findBuiltInRole(app.db, name, 'partner') as string
  const membership = app.db.first(q.selectFrom('partner_users').selectAll().where('user_id', '=', admin.userId))
  if (!membership) throw new Error('no membership')
  const { id: _, ...values } = membership
  const cases: Record<string, () => void> = {
    performer_not_found: () => app.db.run(q.updateTable('tasks').set({ requested_by: 'nobody' })),
    performer_inactive: () => app.db.run(q.updateTable('users').set({ status: 'disabled' })),
    performer_not_in_partner: () => app.db.run(ofAdmin.set({ user_id: other.id })),
    performer_lacks_permission: () => app.db.run(ofAdmin.set({ role_id: roleOf('Partner Viewer') })),
    performer_lacks_org_access: () =>
      app.db.run(ofAdmin.set({ org_access: 'selected', org_ids: toJson([loser.org.id]) })),
  }
  const other = await member(app, { email: 'o@x.test', scope: 'organization', orgId: survivor.org.id })
  for (const [reason, change] of Object.entries(cases)) {
    await app.app.tasks.stop()
    expect((await merge()).status, reason).toBe(202)
    change()
    const before = rowsOf(app, ...traces)
    app.app.tasks.start()
    await eventually(() => expect(auditOf(app, 'org.merge.failed').at(-1)?.details).toMatchObject({ reason }))
    expect(rowsOf(app, ...traces), reason).toEqual(before)
    app.db.run(q.updateTable('users').set({ status: 'active' }))
    app.db.run(q.updateTable('partner_users').set(values).where('id', '=', membership.id))
    expect(await ended('failed')).toMatchObject({ failedReason: reason })
  }
})

test('a merge of organizations that have become unfit does not begin', async () => {
  const { app, loser, survivor, merge, ended } = await mergeScene()
  await merge()
  setOrganization(app, survivor.org.id, { status: 'suspended' })
  app.app.tasks.start()
  const { failedReason, progress } = await ended('failed')
  expect(failedReason).toBe('Only an active or trial organization can take another one in')
  // The loser was not even fenced.
  expect(progress).toBeUndefined()
  expect(app.db.first(q.selectFrom('organizations').select('status').where('id', '=', loser.org.id))?.status).toBe(
    'active',
  )
})

test('rows written to the loser during the merge are moved too before it is final', async () => {
  const { app, loser, survivor, run } = await mergeScene()
  // Devices move last.
  app.db
    .statement(
      `CREATE TRIGGER late AFTER UPDATE OF org_id ON devices BEGIN
         INSERT INTO contacts (id, org_id, name, created_at, updated_at) VALUES ('late', '${loser.org.id}', 'Late', '', '');
       END`,
    )
    .run()
  await run('completed')
  expect(orgOf(app, 'contacts', 'late')).toBe(survivor.org.id)
})

test('behind the fence agents are refused, sockets closed and members signed out, and a stop restores all of it', async () => {
  const { app, loser, survivor, merge, runOf, ended } = await mergeScene({ ORG_MERGE_FENCE_DRAIN_MS: '600000' })
  const origin = await listening(app)
  const device = fakeDevice(app, loser.device)
  const bystander = fakeDevice(app, survivor.device)
  const socket = await connect(origin, device)
  const user = await person(app, { email: 'm@x.test', scope: 'organization', orgId: loser.org.id })
  const sites = () => app.call(listSites, {}, { token: user.token })
  expect((await sites()).status).toBe(200)
  await merge()
  app.app.tasks.start()
  expect(await socket.closed).toBe(closeCode.moved)
  expect((await runOf()).body).toEqual({ state: 'active', progress: { phase: 'fencing', movedRows: 0, totalRows: 0 } })
  expect(await device.beat()).toMatchObject({ status: 503, body: { code: 'organization_merging' } })
  const bearer = { authorization: `Bearer ${device.authToken}` }
  expect((await refusedHandshake(origin, device.agentId, bearer)).status).toBe(401)
  expect((await bystander.beat()).status).toBe(200)
  expect((await sites()).status).toBe(401)

  // Long before the ten minutes for calls in progress are over.
  await app.app.tasks.stop()
  app.app.tasks.start()
  const { failedReason } = await ended('failed')
  expect(failedReason).toBe('The appliance was restarted during the merge')
  expect(auditOf(app, 'org.merge.unfenced_by_sweeper')).toMatchObject([{ org_id: null, resource_id: loser.org.id }])
  expect((await device.beat()).status).toBe(200)
  expect(deviceRowOf(app, device.deviceId)?.org_id).toBe(loser.org.id)
})

test('a merge waits for other work in its own company, but not in others', async () => {
  const { app, admin, loser, survivor, merge } = await mergeScene({ ORG_MERGE_FENCE_DRAIN_MS: '600000' })
  const third = await holdings(app, admin.token, 'Third', 'third-pc')
  const others = await otherCompany(app)
  showFactor(app, others.admin.id)
  const another = await holdings(app, others.admin.token, 'Umbrella Two', 'umbrella-2')
  const ask = (token: string, id: string, survivorId: string) =>
    app.call(mergeOrganization, { params: { id }, body: { survivorId } }, { token })
  const stateOf = (orgId: string) => app.app.tasks.find(`org-merge-${orgId}`)?.state
  expect((await merge()).status).toBe(202)
  expect((await ask(admin.token, third.org.id, survivor.org.id)).status).toBe(202)
  expect((await ask(others.admin.token, another.org.id, others.org.id)).status).toBe(202)
  app.app.tasks.start()
  await eventually(() => expect([loser, another].map(({ org }) => stateOf(org.id))).toEqual(['active', 'active']))
  app.app.tasks.wake()
  await pause(20)
  expect(stateOf(third.org.id)).toBe('waiting')
  // The first merge has ended, however it went, so the next one of the company starts.
  await app.app.tasks.stop()
  app.app.tasks.start()
  await eventually(() => expect(stateOf(loser.org.id)).toBe('failed'))
  await eventually(() => expect(stateOf(third.org.id)).toBe('active'))
})

test('a device that reports during a merge is refused for a while and then continues under the survivor', async () => {
  const { app, loser, survivor, merge, ended } = await mergeScene({ ORG_MERGE_FENCE_DRAIN_MS: '300' })
  const device = fakeDevice(app, loser.device)
  const seen: (number | string | undefined)[] = []
  let isOver = false
  const reporting = (async () => {
    while (!isOver) {
      const { status } = await device.beat()
      seen.push(status === 200 ? deviceRowOf(app, device.deviceId)?.org_id : status)
      await pause(5)
    }
  })()
  await merge()
  app.app.tasks.start()
  await ended('completed')
  await eventually(() => expect(seen.at(-1)).toBe(survivor.org.id))
  isOver = true
  await reporting
  // Each of these states once and in this order, repetitions aside.
  expect(seen.filter((what, at) => what !== seen[at - 1])).toEqual([loser.org.id, 503, survivor.org.id])
})

test('an interrupted merge returns the loser to its old status, unless its rows already moved', async () => {
  const { app, loser, survivor } = await mergeScene()
  const sweep = () => app.app.jobs.runNow('tenants.sweep')
  const statusOf = () => app.db.first(q.selectFrom('organizations').selectAll().where('id', '=', loser.org.id))
  for (const [prior, expected] of [
    ['trial', 'trial'],
    [null, 'suspended'],
  ] as const) {
    setOrganization(app, loser.org.id, { status: 'merging', merge_prior_status: prior })
    await sweep()
    expect(statusOf()).toMatchObject({ status: expected, deleted_at: null, merge_prior_status: null })
  }
  expect(auditOf(app, 'org.merge.unfenced_by_sweeper')).toHaveLength(2)
  setOrganization(app, loser.org.id, { status: 'merging', merge_prior_status: 'trial' })
  app.db.run(
    q.insertInto('org_merge_events').values({
      id: 'event',
      partner_id: 'p',
      loser_org_id: loser.org.id,
      loser_org_name: 'Loser',
      survivor_org_id: survivor.org.id,
      summary: toJson({ tables: {}, warnings: [] }),
      created_at: isoNow(app.clock),
    }),
  )
  await sweep()
  expect(statusOf()).toMatchObject({ status: 'merging', deleted_at: isoNow(app.clock) })
  expect(app.app.tasks.find(`tenant-erasure-${loser.org.id}`)?.state).toBe('waiting')
  expect(auditOf(app, 'org.merge.stamped_by_sweeper')).toMatchObject([{ org_id: null }])
  expect(auditOf(app, 'org.merge.unfenced_by_sweeper'), 'never once there is an event').toHaveLength(2)
  await sweep()
  expect(auditOf(app, 'org.merge.stamped_by_sweeper')).toHaveLength(1)
})

test('a merge that could not be undone at first stays fenced until the sweep has done it', async () => {
  const { app, loser, run } = await mergeScene()
  const before = rowsOf(app, ...traces)
  app.db
    .statement(`CREATE TRIGGER fails BEFORE UPDATE OF org_id ON devices BEGIN SELECT raise(ABORT, 'no room'); END`)
    .run()
  app.db
    .statement(`CREATE TRIGGER stuck BEFORE DELETE ON org_merge_undo BEGIN SELECT raise(ABORT, 'no room'); END`)
    .run()
  await run('failed')
  expect((await fakeDevice(app, loser.device).beat()).status).toBe(503)
  for (const name of ['fails', 'stuck']) app.db.statement(`DROP TRIGGER ${name}`).run()
  await app.app.jobs.runNow('tenants.sweep')
  expect(rowsOf(app, ...traces)).toEqual(before)
  expect(app.db.check()).toEqual([])
})
