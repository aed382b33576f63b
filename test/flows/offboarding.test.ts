import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { hour, iso, minute } from '../../server/platform/clock.ts'
import { authMe } from '../../shared/api/auth.ts'
import type { DeviceCommand } from '../../shared/api/commands.ts'
import { archiveOrganization } from '../../shared/api/lifecycle.ts'
import { readOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { commandOf, insertCommand } from '../helpers/commands.ts'
import { enrollBody, organizationOf, person } from '../helpers/factories.ts'
import { connect, listening, refusedHandshake } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { auditOf, deviceRowOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { leaving, organizationRow, removalsOf } from './offboarding-kit.ts'

/** Offboarding an organization: the drain, and the other changes of its status. */

test('a suspended organization can still be read and reactivated', async () => {
  await using scene = await leaving()
  const { app, org, admin, patch } = scene
  expect(await patch('suspended')).toMatchObject({ status: 200, body: { status: 'suspended' } })
  const read = await app.call(readOrganization, { params: { id: org.id } }, { token: admin.token })
  expect(read).toMatchObject({ status: 200, body: { status: 'suspended' } })
  expect(await patch('active')).toMatchObject({ status: 200, body: { status: 'active' } })
})

test('only the partner can start a drain, with a second factor, and a name can be changed without one', async () => {
  await using scene = await leaving()
  const { app, org, admin, operator, patch } = scene
  expect(await patch('offboarding', { token: operator.token })).toMatchObject({
    status: 403,
    body: { error: 'Insufficient permissions' },
  })
  app.db.run(q.updateTable('sessions').set({ mfa_at: null, mfa_source: null }))
  expect(await patch('offboarding')).toMatchObject({ status: 403, body: { code: 'MFA_REQUIRED' } })
  const renamed = await app.call(
    updateOrganization,
    { params: { id: org.id }, body: { name: 'Berlin II' } },
    { token: admin.token },
  )
  expect(renamed).toMatchObject({ status: 200, body: { name: 'Berlin II', status: 'active' } })
})

test('an organization without devices is offboarding after the PATCH and churned after a sweep', async () => {
  await using scene = await leaving()
  const { app, admin, patch, sweep } = scene
  const empty = await organizationOf(app, admin.token, 'Empty')
  expect(await patch('offboarding', { id: empty.id })).toMatchObject({
    body: { status: 'offboarding', offboardingTarget: 'churn', offboardingStartedAt: iso(app.clock.now()) },
  })
  await sweep()
  expect(organizationRow(app, empty.id)).toMatchObject({ status: 'churned', offboarding_started_at: null })
  expect(auditOf(app, 'organization.offboarding_completed')).toMatchObject([
    { org_id: empty.id, actor_type: 'system', details: { uninstallsCompleted: 0, forcedByDeadline: false } },
  ])
})

test('without agents left a drain ends before the sweep', async () => {
  await using scene = await leaving()
  const { app, org, admin, device, patch, newDevice, endDue } = scene
  app.app.drainCompletion.start()
  const last = await newDevice()
  const leave = (leaver: typeof device) => leaver.finish(removalsOf(app, leaver.deviceId)[0]?.id ?? '')
  const closeEmpty = async (name: string) => {
    const { id } = await organizationOf(app, admin.token, name)
    await patch('offboarding', { id })
    expect(organizationRow(app, id)?.status).toBe('offboarding')
    endDue()
    await expect.poll(() => organizationRow(app, id)?.status).toBe('churned')
  }
  await patch('offboarding')
  await leave(device)
  await closeEmpty('Empty')
  expect(organizationRow(app, org.id)?.status, 'one agent is still there').toBe('offboarding')
  await leave(last)
  endDue()
  await expect.poll(() => organizationRow(app, org.id)?.status).toBe('churned')
  expect(auditOf(app, 'organization.offboarding_completed')).toMatchObject([
    { details: { uninstallsCompleted: 0 } },
    { org_id: org.id, details: { uninstallsCompleted: 2, forcedByDeadline: false } },
  ])
})

test('repeating the PATCH neither extends the window nor queues a second removal', async () => {
  await using scene = await leaving({ env: { OFFBOARDING_DRAIN_WINDOW_HOURS: '1' } })
  const { app, org, device, patch, sweep } = scene
  await patch('offboarding')
  const { offboarding_started_at } = organizationRow(app, org.id) ?? {}
  app.clock.advance(10 * minute)
  expect(await patch('offboarding')).toMatchObject({ status: 200, body: { status: 'offboarding' } })
  await sweep()
  expect(organizationRow(app, org.id)).toMatchObject({ status: 'offboarding', offboarding_started_at })
  expect(removalsOf(app, device.deviceId)).toHaveLength(1)
  app.clock.advance(50 * minute)
  await sweep()
  expect(organizationRow(app, org.id)?.status).toBe('churned')
})

test('calling a drain off cancels the removals, and restores neither keys nor other suspensions', async () => {
  await using scene = await leaving()
  const { app, key, device, patch, newDevice } = scene
  const collected = await newDevice()
  const probed = await newDevice()
  setDevice(app, probed.deviceId, {
    agent_token_suspended_at: iso(app.clock.now()),
    agent_token_suspended_reason: 'cross-tenant-probe',
  })
  await patch('offboarding')
  await collected.beat()
  setDevice(app, device.deviceId, {
    agent_token_suspended_at: iso(app.clock.now()),
    agent_token_suspended_reason: 'tenant_suspended',
  })
  expect(await patch('trial')).toMatchObject({ body: { status: 'trial', offboardingStartedAt: null } })
  for (const { deviceId } of [device, collected, probed])
    expect(removalsOf(app, deviceId)).toMatchObject([
      { status: 'cancelled', reasons: [], result: { status: 'cancelled', reason: 'organization_offboarding_aborted' } },
    ])
  expect(await device.beat()).toMatchObject({ status: 200, body: { commands: [] } })
  expect((await probed.beat()).status).toBe(401)
  expect(await app.call(enroll, { body: enrollBody(key.key, 'late') })).toMatchObject({
    status: 401,
    body: { reason: 'enrollment_key_expired' },
  })
})

test('a PATCH that calls off an archive clears its purge date and target', async () => {
  await using scene = await leaving()
  const { app, org, admin, device, patch, sweep } = scene
  const archived = await app.call(
    archiveOrganization,
    { params: { id: org.id }, body: { retentionDays: 1 } },
    { token: admin.token },
  )
  expect(archived).toMatchObject({ status: 202, body: { status: 'offboarding', purgeAt: expect.any(String) } })
  expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'pending' }])
  expect(await patch('active')).toMatchObject({ body: { purgeAt: null, offboardingTarget: 'churn' } })
  expect(organizationRow(app, org.id)?.archive_prior_status).toBeNull()
  app.clock.advance(1000 * hour)
  await sweep()
  expect(organizationRow(app, org.id)?.status).toBe('active')
})

test('starting a drain queues one removal per device, and ends sessions, keys and sockets of the organization', async () => {
  await using scene = await leaving()
  const { app, org, key, admin, device, patch, console: desk, newDevice } = scene
  const employee = await person(app, { email: 'eve@berlin.test', scope: 'organization', orgId: org.id })
  const retired = await newDevice()
  setDevice(app, retired.deviceId, { status: 'decommissioned' })
  const quarantined = await newDevice()
  setDevice(app, quarantined.deviceId, { status: 'quarantined' })
  const { body: waiting } = await desk.queue(device.deviceId)
  const sent = insertCommand(app, device.deviceId)
  const asked = insertCommand(app, quarantined.deviceId, { type: 'self_uninstall' })
  const origin = await listening(app)
  const socket = await connect(origin, device)
  await socket.settled()

  expect((await patch('offboarding')).status).toBe(200)
  expect(await socket.closed).toBe(4001)
  expect((await refusedHandshake(origin, device.agentId, { authorization: `Bearer ${device.authToken}` })).status).toBe(
    401,
  )
  const drain = `tenant_offboarding:org:${org.id}`
  expect(removalsOf(app, device.deviceId)).toMatchObject([
    { status: 'pending', payload: '{"removeConfig":true}', reasons: [drain], created_by: null, expires_at: null },
  ])
  expect(removalsOf(app, quarantined.deviceId)).toMatchObject([{ id: asked, status: 'pending', reasons: [drain] }])
  expect(removalsOf(app, retired.deviceId)).toEqual([])
  for (const id of [waiting.id, sent])
    expect(commandOf(app, id)).toMatchObject({
      status: 'cancelled',
      completed_at: iso(app.clock.now()),
      result: { status: 'cancelled', reason: 'tenant_offboarding' },
    })
  expect((await app.call(authMe, {}, { token: employee.token })).status).toBe(401)
  expect((await app.call(authMe, {}, { token: admin.token })).status).toBe(200)
  const keyRow = app.db.first(q.selectFrom('enrollment_keys').select('expires_at').where('id', '=', key.id))
  expect(keyRow?.expires_at).toBe(iso(app.clock.now()))
  expect(auditOf(app, 'organization.update').at(-1)?.details).toEqual({
    changedFields: ['status'],
    before: { status: 'active' },
    after: { status: 'offboarding' },
    fromStatus: 'active',
    toStatus: 'offboarding',
  })
})

test('a watcher of a device sees its commands cancelled and the removal queued', async () => {
  await using scene = await leaving()
  const { app, admin, device, patch } = scene
  const waiting = insertCommand(app, device.deviceId)
  using stream = await liveStream(await listening(app), admin.token, device.deviceId)
  await patch('offboarding')
  const changed = (fits: (command: DeviceCommand) => boolean) =>
    stream.event((event) => event.type === 'command.changed' && fits(event.command))
  await changed(({ id, status }) => id === waiting && status === 'cancelled')
  await changed(({ type, status }) => type === 'self_uninstall' && status === 'pending')
})

test('a draining agent gets its removal, reports only on that, and is gone', async () => {
  await using scene = await leaving()
  const { app, org, device, patch, sweep } = scene
  const other = insertCommand(app, device.deviceId)
  await device.beat()
  expect(commandOf(app, other).status).toBe('sent')
  await patch('offboarding')
  expect(await device.finish(other)).toMatchObject({ status: 403, body: { code: 'tenant_offboarding' } })
  expect((await device.request('POST', 'logs', { logs: [] })).status).toBe(201)
  const [removal] = removalsOf(app, device.deviceId)
  expect((await device.beat()).body.commands).toEqual([
    { id: removal?.id, type: 'self_uninstall', payload: { removeConfig: true } },
  ])
  app.clock.advance(hour)
  await app.app.jobs.runNow('commands.expire')
  await sweep()
  expect(organizationRow(app, org.id)?.status, 'one is still under way').toBe('offboarding')
  expect((await device.finish(removal?.id ?? '')).status).toBe(200)
  expect(deviceRowOf(app, device.deviceId)?.status).toBe('decommissioned')
  await sweep()
  expect(organizationRow(app, org.id)?.status).toBe('churned')
  expect(auditOf(app, 'organization.offboarding_completed')).toMatchObject([
    { details: { uninstallsCompleted: 1, uninstallsFailed: 0, neverDeliveredCount: 0, forcedByDeadline: false } },
  ])
})

test('a failed removal is requested again, and the end of the window cuts off the rest', async () => {
  await using scene = await leaving({ env: { OFFBOARDING_DRAIN_WINDOW_HOURS: 'soon' } })
  const { app, org, device: failing, patch, sweep, newDevice } = scene
  const silent = await newDevice()
  const mute = await newDevice()
  await patch('offboarding')
  await failing.beat()
  await mute.beat()
  const [failed] = removalsOf(app, failing.deviceId)
  await failing.finish(failed?.id ?? '', { status: 'failed', exitCode: 1, error: 'in use' })
  await sweep()
  expect(removalsOf(app, failing.deviceId)).toMatchObject([{ status: 'failed' }, { status: 'pending' }])
  app.clock.advance(72 * hour - 1)
  await sweep()
  expect(organizationRow(app, org.id)?.status).toBe('offboarding')
  app.clock.advance(1)
  await sweep()
  expect(organizationRow(app, org.id)).toMatchObject({ status: 'churned', unsettled: null })
  expect(auditOf(app, 'organization.offboarding_completed').map(({ details }) => details)).toEqual([
    {
      uninstallsCompleted: 0,
      uninstallsFailed: 1,
      neverDelivered: expect.toSatisfy((ids: string[]) => ids.length === 2 && ids.includes(silent.deviceId)),
      deliveredUnconfirmed: [mute.deviceId],
      neverDeliveredCount: 2,
      deliveredUnconfirmedCount: 1,
      forcedByDeadline: true,
      windowHours: 72,
    },
  ])
  for (const device of [failing, silent, mute]) {
    expect(removalsOf(app, device.deviceId).at(-1)).toMatchObject({
      status: 'cancelled',
      result: { status: 'cancelled', reason: 'offboarding_window_closed' },
    })
    expect(deviceRowOf(app, device.deviceId)).toMatchObject({ agent_token_suspended_reason: 'tenant_suspended' })
    expect((await device.beat()).status).toBe(401)
  }
})

test('a drain for an archive ends archived, with tokens suspended for that reason', async () => {
  await using scene = await leaving()
  const { app, org, device, patch, sweep } = scene
  await patch('offboarding')
  const purge_at = iso(app.clock.now() + 2000 * hour)
  setOrganization(app, org.id, { offboarding_target: 'archive', purge_at })
  app.clock.advance(72 * hour)
  await sweep()
  expect(organizationRow(app, org.id)).toMatchObject({
    status: 'archived',
    archived_at: iso(app.clock.now()),
    offboarding_target: 'archive',
    purge_at,
  })
  expect(deviceRowOf(app, device.deviceId)).toMatchObject({ agent_token_suspended_reason: 'org_archived' })
})

test('a second sweep finds nothing to do', async () => {
  await using scene = await leaving()
  const { app, org, patch, sweep } = scene
  await patch('offboarding')
  app.clock.advance(72 * hour)
  await sweep()
  const before = [app.rowCounts(), organizationRow(app, org.id)]
  await sweep()
  expect([app.rowCounts(), organizationRow(app, org.id)]).toEqual(before)
})

test('a drain without a start time is started again, and that is recorded', async () => {
  await using scene = await leaving()
  const { app, org, key, device, sweep } = scene
  setOrganization(app, org.id, { status: 'offboarding', offboarding_target: 'archive', purge_at: iso(4e12) })
  await sweep()
  expect(organizationRow(app, org.id)).toMatchObject({
    status: 'offboarding',
    offboarding_started_at: iso(app.clock.now()),
    offboarding_target: 'archive',
    purge_at: iso(4e12),
  })
  expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'pending' }])
  expect((await app.call(enroll, { body: enrollBody(key.key, 'late') })).status).toBe(401)
  await sweep()
  expect(auditOf(app, 'organization.offboarding_entry_repaired')).toHaveLength(1)
})

test('an organization whose sweep fails does not stop the others', async () => {
  await using scene = await leaving()
  const { app, org, admin, patch, sweep } = scene
  const other = await organizationOf(app, admin.token, 'Other')
  for (const id of [org.id, other.id]) await patch('offboarding', { id })
  app.clock.advance(72 * hour)
  app.db
    .statement(`CREATE TRIGGER stuck BEFORE UPDATE OF status ON organizations WHEN old.id = '${org.id}'
      BEGIN SELECT raise(ABORT, 'stuck'); END`)
    .run()
  expect(await sweep()).toMatchObject({ lastOutcome: 'failure' })
  expect(organizationRow(app, org.id)?.status).toBe('offboarding')
  expect(organizationRow(app, other.id)?.status).toBe('churned')
  app.db.statement('DROP TRIGGER stuck').run()
  expect(await sweep()).toMatchObject({ lastOutcome: 'success' })
  expect(organizationRow(app, org.id)?.status).toBe('churned')
})

test('ten organizations can drain at once', async () => {
  await using scene = await leaving()
  const { app, admin, patch, sweep } = scene
  const orgs = await Promise.all(Array.from({ length: 10 }, (_, n) => organizationOf(app, admin.token, `Org ${n}`)))
  const answers = await Promise.all(orgs.map(({ id }) => patch('offboarding', { id })))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  await Promise.all([sweep(), sweep()])
  expect(orgs.map(({ id }) => organizationRow(app, id)?.status)).toEqual(Array(10).fill('churned'))
  expect(auditOf(app, 'organization.offboarding_completed')).toHaveLength(10)
})

test('suspended: people are signed out, devices report, commands wait, and nothing is lost', async () => {
  await using scene = await leaving()
  const { app, org, key, device, patch, console: desk } = scene
  const employee = await person(app, { email: 'eve@berlin.test', scope: 'organization', orgId: org.id })
  const { body: waiting } = await desk.queue(device.deviceId)
  const socket = await connect(await listening(app), device)
  await socket.settled()
  const late = insertCommand(app, device.deviceId)
  await patch('suspended')
  expect(await socket.closed).toBe(4001)
  expect((await app.call(authMe, {}, { token: employee.token })).status).toBe(401)
  expect(await device.beat()).toMatchObject({ status: 200, body: { commands: [] } })
  expect(commandOf(app, late).status).toBe('pending')
  await patch('active')
  const { commands } = (await device.beat()).body
  expect(commands.map(({ id }: { id: string }) => id)).toEqual([late])
  expect(commandOf(app, waiting.id).status, 'it went over the socket').toBe('sent')
  expect((await app.call(enroll, { body: enrollBody(key.key, 'late') })).status).toBe(201)
  expect((await app.call(authMe, {}, { token: employee.token })).status, 'the session stays ended').toBe(401)
})

test('churned: agents are cut off at once, and reactivation lifts only that suspension', async () => {
  await using scene = await leaving()
  const { app, key, device, patch, newDevice } = scene
  const probed = await newDevice()
  setDevice(app, probed.deviceId, {
    agent_token_suspended_at: iso(app.clock.now()),
    agent_token_suspended_reason: 'cross-tenant-probe',
  })
  await patch('churned')
  expect((await device.beat()).status).toBe(401)
  expect(deviceRowOf(app, device.deviceId)?.agent_token_suspended_reason).toBe('tenant_suspended')
  await patch('active')
  expect((await device.beat()).status).toBe(200)
  expect(deviceRowOf(app, probed.deviceId)?.agent_token_suspended_reason).toBe('cross-tenant-probe')
  expect((await app.call(enroll, { body: enrollBody(key.key, 'late') })).status).toBe(401)
})

test('churned, then a drain: the tokens work again, so that the removal can be delivered', async () => {
  await using scene = await leaving()
  const { app, org, device, patch } = scene
  await patch('churned')
  await patch('offboarding')
  expect((await device.beat()).body.commands).toMatchObject([{ type: 'self_uninstall' }])
  expect(organizationRow(app, org.id)?.offboarding_started_at).toBe(iso(app.clock.now()))
  await patch('churned')
  expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'cancelled' }])
  expect((await device.beat()).status).toBe(401)
})

test('deleted during a drain: no removal remains, and agents are cut off', async () => {
  await using scene = await leaving()
  const { app, org, device, patch, remove, sweep } = scene
  await patch('offboarding')
  expect(await remove()).toMatchObject({ status: 200, body: { success: true } })
  expect((await remove()).status).toBe(404)
  expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'cancelled', reasons: [] }])
  expect((await device.beat()).status).toBe(401)
  await sweep()
  expect(organizationRow(app, org.id)).toMatchObject({ status: 'churned', deleted_at: iso(app.clock.now()) })
  expect(auditOf(app, 'organization.offboarding_completed')).toEqual([])
})
