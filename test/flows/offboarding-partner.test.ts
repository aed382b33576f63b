import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { hour, iso } from '../../server/platform/clock.ts'
import { authMe } from '../../shared/api/auth.ts'
import { removePartner } from '../../shared/api/partners.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { showFactor } from '../contract/stage.ts'
import { commandOf, insertCommand } from '../helpers/commands.ts'
import { enrollBody, holdings, otherCompany, person, signIn } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { auditOf, deviceRowOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { leaving, organizationRow, partnerRow, removalsOf } from './offboarding-kit.ts'

/** Offboarding a whole company with all its organizations. */

const company = async () => {
  const scene = await leaving()
  const second = await holdings(scene.app, scene.admin.token, 'Second', 'second-pc')
  return { ...scene, second: { ...second, device: fakeDevice(scene.app, second.device) } }
}

test('the drain of a partner asks the agents of all its organizations to remove themselves and signs out all members', async () => {
  await using scene = await company()
  const { app, admin, org, key, device, second, patchPartner, operator } = scene
  const employee = await person(app, { email: 'eve@berlin.test', scope: 'organization', orgId: org.id })
  const other = await otherCompany(app)
  setOrganization(app, second.org.id, { status: 'suspended' })
  const closed = await holdings(app, other.admin.token, 'Elsewhere', 'elsewhere')
  expect(await patchPartner('offboarding')).toMatchObject({
    status: 200,
    body: { status: 'offboarding', offboardingStartedAt: iso(app.clock.now()) },
  })
  const reasons = [`tenant_offboarding:partner:${admin.partnerId}`]
  for (const { deviceId } of [device, second.device])
    expect(removalsOf(app, deviceId)).toMatchObject([{ status: 'pending', reasons }])
  for (const { deviceId } of [other.device, closed.device]) expect(removalsOf(app, deviceId)).toEqual([])
  for (const token of [admin.token, employee.token])
    expect((await app.call(authMe, {}, { token })).status).toBeGreaterThanOrEqual(401)
  expect((await app.call(authMe, {}, { token: other.admin.token })).status).toBe(200)
  expect((await app.call(authMe, {}, { token: operator.token })).status).toBe(200)
  expect((await app.call(enroll, { body: enrollBody(key.key, 'late') })).status).toBe(401)
  expect(organizationRow(app, org.id)?.status, 'its organizations stay what they are').toBe('active')
  expect((await device.beat()).body.commands).toMatchObject([{ type: 'self_uninstall' }])
})

test('a partner is churned once every agent is gone, and its organizations keep their status', async () => {
  await using scene = await company()
  const { app, admin, org, device, second, patchPartner, sweep, endDue } = scene
  const churned = await holdings(app, admin.token, 'Former', 'former-pc')
  setOrganization(app, churned.org.id, { status: 'churned' })
  await patchPartner('offboarding')
  expect(removalsOf(app, churned.device.deviceId)).toEqual([])
  app.app.drainCompletion.start()
  for (const gone of [device, second.device]) {
    await sweep()
    expect(partnerRow(app, admin.partnerId)?.status).toBe('offboarding')
    const [command] = (await gone.beat()).body.commands
    await gone.finish(command.id)
  }
  endDue()
  await expect.poll(() => partnerRow(app, admin.partnerId)?.status).toBe('churned')
  expect(partnerRow(app, admin.partnerId)).toMatchObject({ status: 'churned', offboarding_started_at: null })
  expect(organizationRow(app, org.id)?.status).toBe('active')
  expect(auditOf(app, 'partner.offboarding_completed')).toMatchObject([
    { org_id: null, partner_id: admin.partnerId, details: { uninstallsCompleted: 2, forcedByDeadline: false } },
  ])
})

test('when the window of a partner ends, the remaining agents are cut off', async () => {
  await using scene = await company()
  const { app, admin, device, second, patchPartner, sweep } = scene
  await patchPartner('offboarding')
  app.clock.advance(72 * hour)
  await sweep()
  await sweep()
  expect(partnerRow(app, admin.partnerId)).toMatchObject({ status: 'churned', unsettled: null })
  for (const one of [device, second.device]) {
    expect(removalsOf(app, one.deviceId)).toMatchObject([{ result: { reason: 'offboarding_window_closed' } }])
    expect(deviceRowOf(app, one.deviceId)?.agent_token_suspended_reason).toBe('tenant_suspended')
    expect((await one.beat()).status).toBe(401)
  }
  expect(auditOf(app, 'partner.offboarding_completed')).toMatchObject([
    { details: { neverDeliveredCount: 2, forcedByDeadline: true } },
  ])
})

test('calling off the drain of a partner lets agents report and members sign in again', async () => {
  await using scene = await company()
  const { app, admin, device, second, patchPartner } = scene
  await patchPartner('offboarding')
  expect(await patchPartner('active')).toMatchObject({ body: { status: 'active', offboardingStartedAt: null } })
  for (const one of [device, second.device]) {
    expect(removalsOf(app, one.deviceId)).toMatchObject([
      { status: 'cancelled', reasons: [], result: { reason: 'partner_offboarding_aborted' } },
    ])
    expect(await one.beat()).toMatchObject({ status: 200, body: { commands: [] } })
  }
  expect((await app.call(authMe, {}, { token: admin.token })).status, 'the old session stays ended').toBe(401)
  app.db.run(q.updateTable('users').set({ mfa_enabled: 0, mfa_method: null }).where('id', '=', admin.userId))
  await signIn(app, admin.email)
})

test('reactivating one organization under a draining partner keeps its removal commands', async () => {
  await using scene = await company()
  const { app, admin, org, device, second, patch, patchPartner } = scene
  await patch('offboarding')
  await patchPartner('offboarding')
  const ofPartner = `tenant_offboarding:partner:${admin.partnerId}`
  expect(removalsOf(app, device.deviceId)).toMatchObject([
    { status: 'pending', reasons: [`tenant_offboarding:org:${org.id}`, ofPartner] },
  ])
  const { token } = scene.operator
  expect((await patch('active', { token })).body.status).toBe('active')
  expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'pending', reasons: [ofPartner] }])
  expect(removalsOf(app, second.device.deviceId)).toMatchObject([{ status: 'pending', reasons: [ofPartner] }])
  expect((await device.beat()).body.commands).toMatchObject([{ type: 'self_uninstall' }])
})

test('calling off the drain of the partner keeps the drain of one of its organizations', async () => {
  await using scene = await company()
  const { app, org, device, second, patch, patchPartner } = scene
  await patch('offboarding')
  await patchPartner('offboarding')
  await patchPartner('active')
  expect(removalsOf(app, device.deviceId)).toMatchObject([
    { status: 'pending', reasons: [`tenant_offboarding:org:${org.id}`] },
  ])
  expect(removalsOf(app, second.device.deviceId)).toMatchObject([{ status: 'cancelled' }])
})

for (const status of ['suspended', 'churned'] as const)
  test(`${status} partners are cut off, and reactivation lifts only the suspension made by that status`, async () => {
    await using scene = await company()
    const { app, admin, device, second, key, patchPartner } = scene
    setOrganization(app, second.org.id, { status: 'churned' })
    await patchPartner('offboarding')
    await patchPartner(status)
    expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'cancelled', reasons: [] }])
    expect((await device.beat()).status).toBe(401)
    for (const { deviceId } of [device, second.device])
      expect(deviceRowOf(app, deviceId)?.agent_token_suspended_reason).toBe('tenant_suspended')
    expect((await app.call(authMe, {}, { token: admin.token })).status).toBeGreaterThanOrEqual(401)
    await patchPartner('active')
    expect((await device.beat()).status).toBe(200)
    expect((await second.device.beat()).status, 'its organization is churned by itself').toBe(401)
    expect((await app.call(enroll, { body: enrollBody(key.key, 'late') })).status).toBe(401)
  })

test('the status pending cuts agents off without suspending their tokens, and sessions survive', async () => {
  await using scene = await company()
  const { app, admin, device, patchPartner } = scene
  const waiting = insertCommand(app, device.deviceId)
  await patchPartner('pending')
  expect((await device.beat()).status).toBe(401)
  expect(deviceRowOf(app, device.deviceId)?.agent_token_suspended_at).toBeNull()
  expect((await app.call(authMe, {}, { token: admin.token })).status, 'the session lives').toBe(200)
  await patchPartner('active')
  expect((await device.beat()).body.commands).toMatchObject([{ id: waiting }])
  expect(commandOf(app, waiting).status).toBe('sent')
})

test('a deleted partner is churned, its drain ended, and its people and agents cut off', async () => {
  await using scene = await company()
  const { app, admin, operator, org, device, patchPartner, sweep } = scene
  await patchPartner('offboarding')
  const remove = () => app.call(removePartner, { params: { id: admin.partnerId } }, { token: operator.token })
  expect((await remove()).status).toBe(200)
  expect((await remove()).status).toBe(404)
  expect(partnerRow(app, admin.partnerId)).toMatchObject({ status: 'churned', offboarding_started_at: null })
  expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'cancelled' }])
  expect((await device.beat()).status).toBe(401)
  expect(organizationRow(app, org.id)).toMatchObject({ status: 'active', deleted_at: null })
  await sweep()
  expect(auditOf(app, 'partner.offboarding_completed')).toEqual([])
})

test('a drain of a partner without a start time is started again, and that is recorded', async () => {
  await using scene = await company()
  const { app, admin, device, sweep } = scene
  setPartner(app, admin.partnerId, { status: 'offboarding' })
  await sweep()
  expect(partnerRow(app, admin.partnerId)?.offboarding_started_at).toBe(iso(app.clock.now()))
  expect(removalsOf(app, device.deviceId)).toMatchObject([{ status: 'pending' }])
  expect(auditOf(app, 'partner.offboarding_entry_repaired')).toMatchObject([{ org_id: null }])
})

test('organizations and partners can drain at the same time', async () => {
  await using scene = await company()
  const { app, admin, org, second, patch, patchPartner, sweep } = scene
  const other = await otherCompany(app)
  showFactor(app, other.admin.id)
  await Promise.all([
    patch('offboarding'),
    patch('offboarding', { id: second.org.id }),
    patch('offboarding', { id: other.org.id, token: other.admin.token }),
    patchPartner('offboarding', other.partnerId),
  ])
  app.clock.advance(72 * hour)
  await Promise.all([sweep(), sweep()])
  for (const id of [org.id, second.org.id, other.org.id]) expect(organizationRow(app, id)?.status).toBe('churned')
  expect(partnerRow(app, other.partnerId)?.status).toBe('churned')
  expect(partnerRow(app, admin.partnerId)?.status).toBe('active')
})
