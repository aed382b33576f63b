import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { day, iso } from '../../server/platform/clock.ts'
import { updateDevice } from '../../shared/api/devices.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { createSite, updateSite } from '../../shared/api/sites.ts'
import { heartbeat } from '../../shared/device/heartbeat.ts'
import { showFactor } from '../contract/stage.ts'
import { otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { archiving } from './archive-kit.ts'

const after = (app: { clock: { now(): number } }, days: number) => iso(app.clock.now() + days * day)
const answer = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error]

test('30: an archived organization is kept for 90 days by default, and for good with null', async () => {
  await using scene = await archiving()
  const { app, archive, restore, row } = scene
  expect(await archive()).toMatchObject({ status: 202, body: { status: 'offboarding', purgeAt: after(app, 90) } })
  expect(row()).toMatchObject({ status: 'offboarding', offboarding_target: 'archive', purge_at: after(app, 90) })
  await restore()
  expect((await archive({})).body.purgeAt).toBe(after(app, 90))
  await restore()
  expect((await archive({ retentionDays: 1 })).body.purgeAt).toBe(after(app, 1))
  await restore()
  expect((await archive({ retentionDays: 3650 })).body.purgeAt).toBe(after(app, 3650))
  await restore()
  expect(await archive({ retentionDays: null })).toMatchObject({ status: 202, body: { purgeAt: null } })
  await setDevice(app, scene.device.deviceId, { status: 'decommissioned' })
  await scene.sweep()
  expect(row()).toMatchObject({ status: 'archived', purge_at: null })
  scene.pass(4000)
  await scene.sweep()
  expect(row()?.status).toBe('archived')
})

test('30: a retention other than a whole number from 1 to 3650 answers 400 and changes nothing', async () => {
  await using scene = await archiving()
  for (const retentionDays of [0, 3651, 1.5, -1, '30', true, []])
    expect((await scene.archive({ retentionDays })).status, String(retentionDays)).toBe(400)
  expect(scene.row()?.status).toBe('active')
})

test('the default retention is read from the environment', async () => {
  await using scene = await archiving({ ORG_ARCHIVE_DEFAULT_RETENTION_DAYS: '30' })
  expect((await scene.archive()).body.purgeAt).toBe(after(scene.app, 30))
  expect(auditOf(scene.app, 'org.archive.requested')[0]?.details).toMatchObject({ retentionDays: 'default' })
})

test('31: the retention counts from the request, not from the end of the drain', async () => {
  await using scene = await archiving()
  const { app, archive, row, sweep, pass } = scene
  const { body } = await archive({ retentionDays: 10 })
  pass(3)
  await sweep()
  expect(row()).toMatchObject({ status: 'archived', purge_at: body.purgeAt, archived_at: iso(app.clock.now()) })
  expect((await scene.read()).body).toMatchObject({ status: 'archived', purgeAt: body.purgeAt })
})

test('32: a suspended organization is archived at once, and restored as suspended', async () => {
  await using scene = await archiving()
  const { archive, restore, patch, row, app } = scene
  await patch({ status: 'suspended' })
  expect((await archive()).body).toMatchObject({ status: 'archived' })
  expect(row()).toMatchObject({
    status: 'archived',
    archived_at: iso(app.clock.now()),
    archive_prior_status: 'suspended',
  })
  expect(await restore()).toMatchObject({ status: 200, body: { status: 'suspended', aborted: false } })
  expect(row()).toMatchObject({ status: 'suspended', archived_at: null, purge_at: null, archive_prior_status: null })
})

test('an organization on trial is restored as active', async () => {
  await using scene = await archiving()
  await scene.patch({ status: 'trial' })
  await scene.archive()
  expect((await scene.restore()).body).toMatchObject({ status: 'active', aborted: true })
})

test('27: aborting the drain by PATCH clears the purge date, so that no purge happens', async () => {
  await using scene = await archiving()
  await scene.archive({ retentionDays: 1 })
  expect((await scene.patch({ status: 'active' })).status).toBe(200)
  expect(scene.row()).toMatchObject({ status: 'active', purge_at: null, offboarding_target: 'churn' })
  scene.pass(30)
  await scene.sweep()
  expect(scene.row()).toMatchObject({ status: 'active' })
})

test('33: an archived organization can be read by its id and has that status', async () => {
  await using scene = await archiving()
  setOrganization(scene.app, scene.org.id, { status: 'archived', archived_at: iso(scene.app.clock.now()) })
  expect(await scene.read()).toMatchObject({ status: 200, body: { id: scene.org.id, archived: true } })
})

test('34: everything below an archived organization is frozen, also for operators', async () => {
  await using scene = await archiving()
  const { app, org, site, device } = scene
  const operator = await person(app, { email: 'op@platform.test', scope: 'system' })
  showFactor(app, operator.id)
  setOrganization(app, org.id, { status: 'archived' })
  for (const token of [operator.token, await scene.token()]) {
    const answers = [
      await scene.patch({ name: 'Munich' }, token),
      await app.call(createSite, { body: { orgId: org.id, name: 'Depot' } }, { token }),
      await app.call(updateSite, { params: { id: site.id }, body: { name: 'Depot' } }, { token }),
      await app.call(updateDevice, { params: { id: device.deviceId }, body: { displayName: 'Desk' } }, { token }),
    ]
    for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'ORG_LIFECYCLE_FROZEN'])
  }
})

test('35: only an archived organization, or one on the way there, can be restored, and the answer reports the rest', async () => {
  await using scene = await archiving()
  const { app, org, restore, archive } = scene
  for (const status of ['active', 'trial', 'suspended', 'churned', 'offboarding'] as const) {
    setOrganization(app, org.id, { status })
    expect(answer(await restore()), status).toEqual([409, 'The organization is not archived'])
  }
  setOrganization(app, org.id, { status: 'merging' })
  expect((await restore()).body).toMatchObject({ code: 'ORG_LIFECYCLE_FROZEN' })
  setOrganization(app, org.id, { status: 'purging' })
  expect(answer(await restore())).toEqual([410, 'Organization is already purging and can no longer be restored'])
  setOrganization(app, org.id, { status: 'active' })
  await archive()
  expect(await restore()).toMatchObject({
    status: 200,
    body: {
      status: 'active',
      aborted: true,
      uninstallsCancelled: 1,
      recreateRequired: [expect.stringContaining('agent'), expect.stringContaining('enrollment keys')],
    },
  })
  const uninstalls = q.selectFrom('device_commands').select(['status', 'reasons']).where('type', '=', 'self_uninstall')
  expect(app.db.all(uninstalls)).toEqual([{ status: 'cancelled', reasons: '[]' }])
  setOrganization(app, org.id, { status: 'archived', purge_at: after(app, 1) })
  expect((await restore()).body).toMatchObject({ status: 'active', aborted: false, uninstallsCancelled: 0 })
})

test('36: the settings of an organization cannot change the status it is restored to', async () => {
  await using scene = await archiving()
  await scene.patch({ status: 'suspended' })
  await scene.patch({ settings: { archivePriorStatus: 'active', colour: 'red' } })
  await scene.archive()
  setOrganization(scene.app, scene.org.id, { settings: toJson({ archivePriorStatus: 'active' }) })
  expect((await scene.restore()).body.status).toBe('suspended')
  expect(scene.row()?.status).toBe('suspended')
})

test('only an active or suspended organization is archived, and only once', async () => {
  await using scene = await archiving()
  const { app, org, archive } = scene
  for (const status of ['churned', 'offboarding'] as const) {
    setOrganization(app, org.id, { status })
    expect((await archive()).body).toMatchObject({ code: 'org_not_archivable', currentStatus: status })
  }
  for (const status of ['archived', 'merging', 'purging'] as const) {
    setOrganization(app, org.id, { status })
    expect((await archive()).body).toMatchObject({ code: 'ORG_LIFECYCLE_FROZEN', currentStatus: status })
  }
  setOrganization(app, org.id, { status: 'active' })
  expect([(await archive()).status, (await archive()).status]).toEqual([202, 409])
  expect(auditOf(app, 'org.archive.requested')).toHaveLength(2)
})

test('archive and restore answer 403 without role or second factor, and 404 without access to the organization', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  const { partnerId } = admin
  const other = await otherCompany(app)
  const somebody = async (email: string, who: Parameters<typeof person>[1] | object) => {
    const { id, token } = await person(app, { email, scope: 'partner', partnerId, ...who })
    showFactor(app, id)
    return token
  }
  const operator = await somebody('op@platform.test', { scope: 'system' })
  const viewer = await somebody('viewer@acme.test', { role: 'Partner Viewer' })
  const local = await somebody('local@acme.test', { scope: 'organization', orgId: org.id })
  const elsewhere = await somebody('elsewhere@acme.test', { orgAccess: 'selected', orgIds: [other.org.id] })
  const nowhere = await somebody('nowhere@acme.test', { orgAccess: 'none' })
  showFactor(app, other.admin.id)
  const unproven = await person(app, { email: 'unproven@acme.test', scope: 'partner', partnerId })
  for (const act of [
    (id: string, by?: string) => scene.archive({}, id, by),
    (id: string, by?: string) => scene.restore(id, by),
  ]) {
    expect(answer(await act(org.id, operator))).toEqual([403, 'Insufficient permissions'])
    expect(answer(await act(org.id, local))).toEqual([403, 'Insufficient permissions'])
    expect(answer(await act(org.id, viewer))).toEqual([403, 'Permission denied'])
    expect((await act(org.id, unproven.token)).body).toMatchObject({ error: 'MFA required', code: 'MFA_REQUIRED' })
    for (const by of [elsewhere, nowhere, other.admin.token])
      expect(answer(await act(org.id, by))).toEqual([404, 'Organization not found'])
    for (const id of ['x', 'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11', other.org.id])
      expect(answer(await act(id))).toEqual([404, 'Organization not found'])
  }
  setOrganization(app, org.id, { deleted_at: iso(app.clock.now()) })
  expect((await scene.archive()).status).toBe(404)
  expect((await scene.restore()).status).toBe(404)
  expect(auditOf(app, 'org.archive.requested')).toEqual([])
})

test('a member with selected organizations can archive and restore one of them', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  const who = { email: 'ben@acme.test', scope: 'partner', partnerId: admin.partnerId } as const
  const ben = await person(app, { ...who, orgAccess: 'selected', orgIds: [org.id] })
  showFactor(app, ben.id)
  await scene.patch({ status: 'suspended' })
  expect((await scene.archive({}, org.id, ben.token)).body.status).toBe('archived')
  expect((await scene.restore(org.id, ben.token)).status).toBe(200)
})

test('archiving ends the sessions of members, expires keys and shuts agents out until it is restored', async () => {
  await using scene = await archiving()
  const { app, org, key, device } = scene
  const local = await person(app, { email: 'local@acme.test', scope: 'organization', orgId: org.id })
  await scene.patch({ status: 'suspended' })
  await scene.archive()
  expect((await app.call(usersMe, {}, { token: local.token })).status).toBe(401)
  const expiry = q.selectFrom('enrollment_keys').select('expires_at').where('id', '=', key.id)
  expect(app.db.first(expiry)).toEqual({ expires_at: iso(app.clock.now()) })
  const suspension = () =>
    app.db.first(
      q.selectFrom('devices').select('agent_token_suspended_reason as reason').where('id', '=', device.deviceId),
    )?.reason
  const beat = () =>
    app.call(
      heartbeat,
      { params: { agentId: device.agentId }, body: { status: 'ok', agentVersion: '0.1.0' } as never },
      { token: device.authToken },
    )
  expect(suspension()).toBe('org_archived')
  expect((await beat()).status).toBeGreaterThanOrEqual(401)
  await scene.restore()
  expect(suspension()).toBeNull()
  expect((await beat()).status).toBe(200)
  // A device that was suspended for another reason stays suspended.
  setDevice(app, device.deviceId, { agent_token_suspended_at: iso(0), agent_token_suspended_reason: 'stolen' })
  await scene.archive()
  await scene.restore()
  expect(suspension()).toBe('stolen')
})

test('archive and restore are recorded for the organization and, to outlast it, for the partner', async () => {
  await using scene = await archiving()
  const { app, org, admin } = scene
  const { body } = await scene.archive({ retentionDays: 7 })
  const who = { actor_id: admin.userId, partner_id: admin.partnerId, resource_id: org.id, resource_name: org.name }
  const asked = { priorStatus: 'active', retentionDays: 7, purgeAt: body.purgeAt }
  const durable = { durable: true, orgId: org.id, orgName: org.name, partnerId: admin.partnerId }
  expect(auditOf(app, 'org.archive.requested')).toMatchObject([
    { ...who, org_id: org.id, details: asked },
    { ...who, org_id: null, details: { ...asked, ...durable } },
  ])
  await scene.restore()
  const done = { restoredStatus: 'active', aborted: true, uninstallsCancelled: 1, recreateRequired: expect.any(Array) }
  expect(auditOf(app, 'org.archive.restored')).toMatchObject([
    { ...who, org_id: org.id, details: done },
    { ...who, org_id: null, details: { ...done, ...durable } },
  ])
})
