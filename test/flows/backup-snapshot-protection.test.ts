import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, iso } from '../../server/platform/clock.ts'
import {
  applyImmutability,
  applyLegalHold,
  deleteLegalHold,
  releaseImmutability,
  releaseLegalHold,
} from '../../shared/api/backup-snapshot-protection.ts'
import { deletePolicy, unassignPolicy, updatePolicy } from '../../shared/api/configuration-policies.ts'
import { moveDevices, moveDeviceToOrganization } from '../../shared/api/devices.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { holdings, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { auditOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { passFactor } from '../helpers/sessions.ts'
import { comparedSnapshots } from '../helpers/tasks.ts'
import { home, policyScene } from './policy-kit.ts'

/** Legal holds and immutability of a snapshot, set and ended by hand. */

const reason = 'Case 42'

async function scene() {
  const made = await policyScene()
  const { app, admin, org, one } = made
  const operator = backupOperator(app, admin.token)
  await operator.storage({}, org.id)
  setDevice(app, one.deviceId, { status: 'online', backup_version: 'restic/0.18.0' })
  const socket = await connect(await listening(app), one)
  let count = 0
  const backUp = async () => {
    const { id } = (await operator.run(one.deviceId)).body
    await socket.frame((frame) => frame.id === id)
    const snapshotId = (++count).toString(16).padStart(64, 'a')
    const result = { status: 'completed', snapshotId, filesBackedUp: 1, bytesBackedUp: 1 }
    socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
    await socket.settled()
    await comparedSnapshots(app)
    const found = (await operator.snapshots()).find(({ jobId }) => jobId === id)
    if (!found) throw new Error('There is no snapshot')
    return found.id
  }
  const as = (token = admin.token) => ({ token })
  const calls = {
    hold: (id: string, token?: string) => app.call(applyLegalHold, { params: { id }, body: { reason } }, as(token)),
    release: (id: string, token?: string) =>
      app.call(releaseLegalHold, { params: { id }, body: { reason: 'Over' } }, as(token)),
    drop: (id: string, token?: string) => app.call(deleteLegalHold, { params: { id } }, as(token)),
    fix: (id: string, body: object, token?: string) =>
      app.call(applyImmutability, { params: { id }, body: { reason, ...body } }, as(token)),
    unfix: (id: string, token?: string) =>
      app.call(releaseImmutability, { params: { id }, body: { reason: 'Over' } }, as(token)),
  }
  const inDays = (days: number) => iso(app.clock.now() + days * day)
  return { ...made, ...operator, ...calls, backUp, inDays }
}

test('a legal hold by hand keeps a snapshot until it is released, and each step is in the log', async () => {
  const { app, backUp, hold, release, drop } = await scene()
  const id = await backUp()
  expect((await release(id)).body.code).toBe('backup_no_legal_hold')
  const held = await hold(id)
  expect([held.status, held.body]).toMatchObject([
    200,
    { legalHold: true, legalHoldReason: reason, legalHoldSource: 'manual', retentionBlockedReason: 'legal_hold' },
  ])
  const free = { legalHold: false, legalHoldReason: null, legalHoldSource: null, retentionBlockedReason: null }
  expect((await release(id)).body).toMatchObject(free)
  await hold(id)
  expect((await drop(id)).body).toMatchObject(free)
  expect(auditOf(app, 'backup.snapshot.legal_hold.apply')).toMatchObject([
    { resource_id: id, details: { reason } },
    { details: { reason } },
  ])
  expect(auditOf(app, 'backup.snapshot.legal_hold.release')).toMatchObject([
    { details: { reason: 'Over', source: 'manual', appliedBecause: reason } },
    { details: { reason: null } },
  ])
})

test('immutability holds for days or until a time, is only extended, and nobody ends it before', async () => {
  const { app, backUp, fix, unfix, inDays } = await scene()
  const id = await backUp()
  expect((await unfix(id)).body.code).toBe('backup_not_immutable')
  const { body } = await fix(id, { immutableDays: 30 })
  const until = inDays(30)
  expect(body).toMatchObject({
    isImmutable: true,
    immutableUntil: until,
    immutabilityEnforcement: 'application',
    requestedImmutabilityEnforcement: 'application',
    immutabilityFallbackReason: null,
    retentionBlockedReason: 'immutable_until',
  })
  for (const sooner of [{ immutableDays: 29 }, { extendUntil: until }]) {
    const { status, body: refused } = await fix(id, sooner)
    expect([status, refused.error]).toEqual([409, expect.stringMatching(/^Immutability can only be extended forward/)])
  }
  expect((await fix(id, { extendUntil: inDays(31), enforcement: 'provider' })).body).toMatchObject({
    immutableUntil: inDays(31),
    immutabilityEnforcement: 'application',
    requestedImmutabilityEnforcement: 'provider',
    immutabilityFallbackReason: expect.stringContaining('cannot'),
  })
  const before = app.db.one(q.selectFrom('backup_snapshots').selectAll().where('id', '=', id))
  const early = await Promise.all(Array.from({ length: 3 }, () => unfix(id)))
  for (const one of early) expect(one).toMatchObject({ status: 409, body: { code: 'backup_immutability_lasts' } })
  expect(app.db.one(q.selectFrom('backup_snapshots').selectAll().where('id', '=', id))).toEqual(before)
  const releases = () => auditOf(app, 'backup.snapshot.immutability.release')
  const tried = { result: 'denied', resource_id: id, details: { refusal: 'backup_immutability_lasts' } }
  expect(releases(), 'every try is noted').toMatchObject([tried, tried, tried])
  const applied = auditOf(app, 'backup.snapshot.immutability.apply.application')
  expect(applied.map(({ result }) => result)).toEqual(['success', 'denied', 'denied', 'success'])

  app.db.run(q.updateTable('backup_snapshots').set({ immutability_enforcement: 'provider' }).where('id', '=', id))
  expect(await unfix(id)).toMatchObject({ status: 409, body: { code: 'backup_immutability_of_storage' } })
  app.db.run(q.updateTable('backup_snapshots').set({ immutability_enforcement: 'application' }).where('id', '=', id))

  // What is over binds nobody.
  app.db.run(
    q
      .updateTable('backup_snapshots')
      .set({ immutable_until: iso(app.clock.now()) })
      .where('id', '=', id),
  )
  expect((await unfix(id)).body).toMatchObject({ isImmutable: false, immutableUntil: null })
  expect(releases().at(-1)).toMatchObject({ result: 'success', details: { reason: 'Over' } })
  expect((await unfix(id)).body.code).toBe('backup_not_immutable')
  expect((await fix(id, { immutableDays: 1 })).status).toBe(200)
})

test('what is asked wrongly is refused with what is missing', async () => {
  const { app, backUp, fix, inDays } = await scene()
  const id = await backUp()
  const before = app.rowCounts()
  const errorOf = async (body: object) => {
    const { status, body: refused } = await fix(id, body)
    return [status, refused.error]
  }
  expect(await errorOf({})).toEqual([400, 'immutableDays or extendUntil is required'])
  expect(await errorOf({ extendUntil: inDays(-1) })).toEqual([400, 'extendUntil: Must be in the future'])
  expect(await errorOf({ extendUntil: inDays(3651) })).toEqual([400, 'extendUntil: Must be within ten years'])
  for (const bad of [{ immutableDays: 0 }, { immutableDays: 3651 }, { immutableDays: 1, reason: '' }])
    expect((await errorOf(bad))[0]).toBe(400)
  expect(app.rowCounts()).toEqual(before)
})

test('what a policy keeps cannot be released while the policy says so, and can be once it does not', async () => {
  const { app, org, policy, relink, backUp, hold, release, drop, fix, unfix, inDays } = await scene()
  const retention = { keepDaily: 7, legalHold: true, legalHoldReason: 'Court' }
  const kept = { ...retention, immutabilityMode: 'application', immutableDays: 30 }
  const target = { level: 'organization', targetId: org.id } as const
  const { id: policyId, linkId } = await policy('Kept', { ...home, retention: kept }, target)
  const id = await backUp()
  for (const refused of [await release(id), await drop(id)])
    expect(refused).toMatchObject({ status: 409, body: { code: 'backup_held_by_policy', policy: 'Kept' } })
  expect(auditOf(app, 'backup.snapshot.legal_hold.release')).toMatchObject([
    { result: 'denied', details: { refusal: 'backup_held_by_policy' } },
    { result: 'denied' },
  ])
  expect((await unfix(id)).body.code).toBe('backup_immutability_lasts')
  // A hold by hand on top changes nothing about that.
  await hold(id)
  expect((await release(id)).body.code).toBe('backup_held_by_policy')
  expect((await fix(id, { immutableDays: 60 })).body).toMatchObject({ immutableUntil: inDays(60) })

  await relink(policyId, linkId, { inlineSettings: { ...home, retention: { keepDaily: 7 } } })
  expect((await release(id)).body.legalHold).toBe(false)
  expect((await unfix(id)).body.code, 'a lock lasts, whatever the policy says now').toBe('backup_immutability_lasts')
})

/** A device at a site whose policy holds what is backed up there, and ways to take it away from the policy. */
async function heldScene() {
  const made = await scene()
  const { app, admin, one, site, branch, policy, backUp } = made
  const as = { token: admin.token }
  const retention = { keepDaily: 7, legalHold: true, legalHoldReason: 'Court' }
  const held = await policy('Held', { ...home, retention }, { level: 'site', targetId: site.id })
  const id = await backUp()
  const row = () => app.db.one(q.selectFrom('backup_snapshots').selectAll().where('id', '=', id))
  return {
    ...{ ...made, as, retention, held, id, row },
    move: async () => {
      const body = { deviceIds: [one.deviceId], siteId: branch.id }
      expect((await app.call(moveDevices, { body }, as)).body).toMatchObject({ moved: [one.deviceId] })
    },
    moveAway: async () => {
      const hamburg = await holdings(app, admin.token, 'Hamburg', 'hh-1')
      const body = { orgId: hamburg.org.id, siteId: hamburg.site.id }
      const moved = await app.call(moveDeviceToOrganization, { params: { id: one.deviceId }, body }, as)
      expect(moved.status).toBe(200)
    },
  }
}

test('what a policy holds is not released by moving its device, or the policy, elsewhere', async () => {
  const { app, as, held, id, row, move, moveAway, hold, release, drop } = await heldScene()
  const released = () => auditOf(app, 'backup.snapshot.legal_hold.release')
  const stays = async () => {
    const before = row()
    for (const refused of [await release(id), await drop(id)])
      expect(refused).toMatchObject({ status: 409, body: { code: 'backup_held_by_policy', policy: 'Held' } })
    expect(row()).toEqual(before)
    const tried = { result: 'denied', resource_id: id, details: { refusal: 'backup_held_by_policy' } }
    expect(released().slice(-2)).toMatchObject([tried, tried])
  }
  await move()
  await stays()
  await hold(id)
  await stays()
  await moveAway()
  await stays()
  const { id: policyId, assignmentId } = held
  expect((await app.call(unassignPolicy, { params: { id: policyId, assignmentId } }, as)).status).toBe(200)
  await stays()
  expect(released().every(({ result }) => result === 'denied')).toBe(true)
})

test.each(['asks for none', 'says nothing of backups', 'is switched off', 'is deleted'])(
  'once the policy %s, what it held can be released',
  async (end) => {
    const { app, as, held, id, row, relink, unlink, moveAway, release } = await heldScene()
    await moveAway()
    const params = { id: held.id }
    if (end === 'asks for none') await relink(held.id, held.linkId, { inlineSettings: { ...home, retention: {} } })
    if (end === 'says nothing of backups') await unlink(held.id, held.linkId)
    if (end === 'is switched off') await app.call(updatePolicy, { params, body: { status: 'inactive' } }, as)
    if (end === 'is deleted') await app.call(deletePolicy, { params }, as)
    expect(row().legal_hold, 'not by itself').toBe(1)
    expect((await release(id)).body).toMatchObject({ legalHold: false, legalHoldSource: null })
    expect(row()).toMatchObject({ legal_hold: 0, legal_hold_policy_ids: null })
  },
)

test('of two policies that hold a snapshot each one suffices, and of one that was made before, those of its device', async () => {
  const { app, as, org, held, id, row, retention, policy, backUp, move, release } = await heldScene()
  const wide = await policy('Wide', { ...home, retention }, { level: 'organization', targetId: org.id })
  const both = await backUp()
  const older = await backUp()
  app.db.run(q.updateTable('backup_snapshots').set({ legal_hold_policy_ids: null }).where('id', '=', older))
  await app.call(unassignPolicy, { params: { id: wide.id, assignmentId: wide.assignmentId } }, as)
  expect((await release(older)).body).toMatchObject({ code: 'backup_held_by_policy', policy: 'Held' })
  await move()
  expect((await release(older)).body).toMatchObject({ legalHold: false })
  await app.call(deletePolicy, { params: { id: held.id } }, as)
  expect((await release(both)).body).toMatchObject({ code: 'backup_held_by_policy', policy: 'Wide' })
  expect((await release(id)).body, 'only the one that is gone held it').toMatchObject({ legalHold: false })
  expect(row().legal_hold).toBe(0)
})

test('who may not is refused, and nothing changes', async () => {
  const { app, admin, org, backUp, hold, release, drop, fix, unfix } = await scene()
  const id = await backUp()
  const stranger = (await otherCompany(app)).admin.token
  const elsewhere = await siteOf(app, admin.token, org.id, 'Elsewhere')
  const scoped = { scope: 'organization', orgId: org.id } as const
  const confined = (await person(app, { email: 's@x.test', ...scoped, siteIds: [elsewhere.id] })).token
  const viewer = (await person(app, { email: 'v@x.test', ...scoped, role: 'Org Viewer' })).token
  for (const token of [stranger, confined, viewer]) passFactor(app, token)
  const row = () => app.db.first(q.selectFrom('backup_snapshots').selectAll().where('id', '=', id))
  const [before, counts] = [row(), app.rowCounts()]
  for (const [token, status] of [
    [stranger, 404],
    [confined, 403],
    [viewer, 403],
  ] as const) {
    const answers = [
      await hold(id, token),
      await release(id, token),
      await drop(id, token),
      await fix(id, { immutableDays: 1 }, token),
      await unfix(id, token),
    ]
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status))
  }
  expect([row(), app.rowCounts()]).toEqual([before, counts])

  // Evidence can be kept while an organization is closed for work, but not once it is put away.
  setOrganization(app, org.id, { status: 'suspended' })
  expect((await hold(id)).status).toBe(200)
  setOrganization(app, org.id, { status: 'archived' })
  expect((await release(id)).body.code).toBe('ORG_LIFECYCLE_FROZEN')
})
