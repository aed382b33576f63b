import { expect, test } from 'vitest'
import { previewRunAll, runAllBackups } from '../../shared/api/backup-jobs.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { connect, listening } from '../helpers/fake-device.ts'
import { auditOf, setDevice } from '../helpers/rows.ts'
import { home, image, policyScene } from './policy-kit.ts'

/** Backups that somebody starts, of devices that a policy protects. */

async function scene() {
  const made = await policyScene()
  const { app, admin, org } = made
  const operator = backupOperator(app, admin.token)
  const token = admin.token
  for (const { deviceId } of [made.one, made.far])
    setDevice(app, deviceId, { status: 'online', backup_version: 'restic/0.18.0' })
  const everything = async () => made.policy('All', home, { level: 'organization', targetId: org.id })
  return {
    ...made,
    ...operator,
    storage: (body: object = {}) => operator.storage(body, org.id),
    everything,
    preview: async () => (await app.call(previewRunAll, { query: { orgId: org.id } }, { token })).body.data,
    runAll: () => app.call(runAllBackups, { query: { orgId: org.id } }, { token }),
  }
}

test('the policy says what is backed up and where to; each selection makes a job', async () => {
  const { app, org, one, profile, policy, storage, run } = await scene()
  await storage({ isDefault: true })
  const offsite = await storage({ name: 'Offsite', isDefault: false })
  const both = await profile({ selections: { file: { enabled: true, paths: ['/srv'] }, database: { enabled: true } } })
  const made = await policy(
    'Servers',
    { destinationConfigId: offsite.id, bandwidthLimitMbps: 8 },
    { level: 'organization', targetId: org.id },
    { featurePolicyId: both.id },
  )
  const { status, body } = await run(one.deviceId)
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.jobCount).toBe(2)
  expect(body.jobs.map(({ backupMode }) => backupMode)).toEqual(['file', 'database'])
  expect(body).toMatchObject({
    id: body.jobs[0]?.id,
    configId: offsite.id,
    policyId: made.id,
    featureLinkId: made.linkId,
  })
  expect(auditOf(app, 'backup.job.run').at(-1)?.details).toMatchObject({
    modes: ['file', 'database'],
    configId: offsite.id,
  })
})

test('one kind of backup that runs does not keep the other from being started', async () => {
  const { org, one, profile, policy, storage, run, cancel } = await scene()
  await storage()
  const both = await profile({
    selections: { file: { enabled: true, paths: ['/srv'] }, system_image: { enabled: true } },
  })
  await policy('Both', {}, { level: 'organization', targetId: org.id }, { featurePolicyId: both.id })
  const first = (await run(one.deviceId)).body
  await cancel(first.jobs[1]?.id ?? '')
  const second = await run(one.deviceId)
  expect(second.body.jobs.map(({ backupMode }) => backupMode)).toEqual(['system_image'])
})

test('refused with the reason: a profile with nothing in it, a policy without storage', async () => {
  const { app, org, one, profile, policy, storage, run } = await scene()
  const broken = await profile({ selections: { file: { enabled: true, paths: ['/srv'] } } })
  await policy('Broken', {}, { level: 'device', targetId: one.deviceId }, { featurePolicyId: broken.id })
  await policy('Weaker', image, { level: 'organization', targetId: org.id })
  expect((await run(one.deviceId)).body.code).toBe('backup_policy_without_config')
  await storage()
  app.db.statement('UPDATE backup_profiles SET selections = ?').run('{"file":{"enabled":false,"paths":[]}}')
  expect((await run(one.deviceId)).body.code).toBe('backup_profile_broken')
  expect(app.rowCounts().backup_jobs).toBe(0)
})

test('“back up all” does what its preview says, for the devices that a policy protects and somebody sees', async () => {
  const { app, one, everything, storage, preview, runAll, jobs } = await scene()
  expect((await runAll()).body.code).toBe('backup_no_policies')
  expect(await preview()).toEqual({ deviceCount: 0, deviceIds: [], alreadyRunning: 0, offline: 0 })
  await everything()
  await storage()
  app.db.statement(`UPDATE devices SET status = 'offline' WHERE id <> ?`).run(one.deviceId)
  const shown = await preview()
  expect(shown).toMatchObject({ deviceIds: [one.deviceId], deviceCount: 1, alreadyRunning: 0 })
  expect(shown.offline).toBeGreaterThanOrEqual(1)
  const { status, body } = await runAll()
  expect([status, body.data.created, body.data.skippedOffline]).toEqual([201, 1, shown.offline])
  expect((await jobs()).map(({ deviceId }) => deviceId)).toEqual([one.deviceId])
  expect(await preview()).toMatchObject({ deviceCount: 0, alreadyRunning: 1 })
  expect((await runAll()).body.data).toMatchObject({ created: 0, skippedRunning: 1 })
  expect(auditOf(app, 'backup.job.run_all')).toHaveLength(2)
})

test('devices without storage or with a broken profile are named', async () => {
  const { one, everything, runAll } = await scene()
  await everything()
  const { body } = await runAll()
  expect(body.data.skippedBrokenProfileDevices).toContainEqual({ deviceId: one.deviceId, reason: 'no_config' })
  expect(body.data.created).toBe(0)
})

test('what a policy protects for good is protected in the snapshot', async () => {
  const { app, org, one, policy, storage, run, snapshots } = await scene()
  await storage()
  const retention = {
    keepDaily: 7,
    immutabilityMode: 'provider',
    immutableDays: 30,
    legalHold: true,
    legalHoldReason: 'Court',
  }
  await policy('Kept', { ...home, retention }, { level: 'organization', targetId: org.id })
  const socket = await connect(await listening(app), one)
  const { id } = (await run(one.deviceId)).body
  await socket.frame((frame) => frame.id === id)
  const result = { status: 'completed', snapshotId: 'ab'.repeat(32), filesBackedUp: 1, bytesBackedUp: 1 }
  socket.send({ type: 'command_result', commandId: id, status: 'completed', result })
  await socket.settled()
  const now = app.clock.now()
  const inDays = (days: number) => new Date(now + days * 24 * 3_600_000).toISOString()
  expect(await snapshots()).toMatchObject([
    {
      legalHold: true,
      legalHoldReason: 'Court',
      legalHoldSource: 'policy',
      isImmutable: true,
      immutableUntil: inDays(30),
      immutabilityEnforcement: 'application',
      requestedImmutabilityEnforcement: 'provider',
      immutabilityFallbackReason: expect.stringContaining('cannot'),
      retentionBlockedReason: 'legal_hold',
      expiresAt: inDays(7),
    },
  ])
})
