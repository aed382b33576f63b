import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, hour } from '../../server/platform/clock.ts'
import { decommissionDevice } from '../../shared/api/devices.ts'
import { setDevice } from '../helpers/rows.ts'
import { failed, good, nightly, partial, reportScene } from './backup-report-kit.ts'
import { home } from './policy-kit.ts'

/** What is wrong with the backups of devices, and who is mailed about it. */

async function scene(settings: object = nightly()) {
  const made = await reportScene()
  const { id: policyId, linkId } = await made.policy('Nightly', settings, {
    level: 'device',
    targetId: made.one.deviceId,
  })
  await made.look()
  return { ...made, policyId, linkId }
}

test('a failed backup needs attention until one that is good ends, a partial one until one that is complete', async () => {
  const { one, scheduleAt, end, problems, look, status } = await scene()
  await scheduleAt('2026-03-02T02:00:05Z')
  const jobId = await end(one, failed)
  expect(problems(one)).toEqual(['failed'])
  await look()
  expect(problems(one)).toEqual(['failed'])
  expect((await status(one.deviceId)).body.data).toMatchObject({
    state: 'failing',
    lastSuccessAt: null,
    lastFailureError: 'Disk is on fire',
    lastFailureJobId: jobId,
  })
  await scheduleAt('2026-03-03T02:00:05Z')
  await end(one, partial)
  expect(problems(one)).toEqual(['partial'])
  await scheduleAt('2026-03-04T02:00:05Z')
  await end(one, good)
  expect(problems(one)).toEqual([])
})

test('a policy without storage and a broken profile need attention when it is time, until they can be used again', async () => {
  const { app, org, two, policy, profile, scheduleAt, problems, look } = await scene()
  const { id: profileId } = await profile()
  await policy(
    'With a profile',
    { schedule: nightly().schedule },
    { level: 'device', targetId: two.deviceId },
    { featurePolicyId: profileId },
  )
  app.db.statement(`UPDATE backup_profiles SET selections = '{"file":{"enabled":false,"paths":[]}}'`).run()
  await scheduleAt('2026-03-02T02:00:05Z')
  expect(problems(two)).toEqual(['broken_profile'])
  app.db.statement('UPDATE backup_configs SET is_active = 0 WHERE org_id = ?').run(org.id)
  app.db.statement(`UPDATE backup_profiles SET selections = '{"file":{"enabled":true,"paths":["/srv"]}}'`).run()
  await scheduleAt('2026-03-03T02:00:05Z')
  expect(problems(two)).toContain('no_config')
  await look()
  expect(problems(two)).toEqual(['no_config'])
  app.db.statement('UPDATE backup_configs SET is_active = 1').run()
  await look()
  expect(problems(two)).toEqual([])
})

test('without any policy nothing is missed; what was wrong is forgotten after three months', async () => {
  const { app, one, goTo, look, problems } = await scene()
  goTo('2026-03-03T09:00:00Z')
  await look()
  expect(problems(one)).toEqual(['missed_twice'])
  app.db.statement('DELETE FROM configuration_policies').run()
  await look()
  expect(problems(one)).toEqual([])
  const kept = app.db.statement('SELECT count(*) FROM backup_attention').pluck()
  app.clock.advance(89 * day)
  await look()
  expect(kept.get()).toBe(1)
  app.clock.advance(2 * day)
  await look()
  expect(kept.get()).toBe(0)
  expect(app.db.statement('SELECT count(*) FROM backup_watches').pluck().get()).toBe(0)
})

test('a backup that is left out because the one before still runs needs attention until that one has ended', async () => {
  const { one, scheduleAt, end, problems, look } = await scene()
  await scheduleAt('2026-03-02T02:00:05Z')
  await scheduleAt('2026-03-03T02:00:05Z')
  expect(problems(one)).toEqual(['skipped_overlap'])
  await look()
  expect(problems(one)).toEqual(['skipped_overlap'])
  await end(one, good)
  expect(problems(one)).toEqual([])
})

test('a device that misses two backups in a row is mailed once, and again only after a good one', async () => {
  const { app, one, scheduleAt, afterwards, end, hangUp, problems, mails, job } = await scene()
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, failed)
  await afterwards()
  expect(problems(one)).toEqual(['failed'])
  expect(mails('backup-missed')).toEqual([])
  // Never sent to the device, and given up after an hour.
  await hangUp(one)
  await scheduleAt('2026-03-03T02:00:05Z')
  await afterwards()
  expect(mails('backup-missed'), 'it may still become one').toEqual([])
  app.clock.advance(hour)
  await job('backup.watch')
  await afterwards()
  expect(problems(one)).toEqual(['failed', 'missed_twice'])
  expect(mails('backup-missed')).toMatchObject([
    { to: 'ops@acme.test', data: { orgName: 'Berlin', count: 1, devices: ['pc-1'] } },
  ])
  for (let again = 0; again < 3; again++) await afterwards()
  await Promise.all(Array.from({ length: 10 }, () => job('backup.mail')))
  expect(mails('backup-missed')).toHaveLength(1)
  await scheduleAt('2026-03-04T02:00:05Z')
  await end(one, good)
  await afterwards()
  expect(problems(one)).toEqual([])
  expect(mails('backup-missed')).toHaveLength(1)
  for (const date of ['05', '06']) {
    await scheduleAt(`2026-03-${date}T02:00:05Z`)
    await end(one, failed)
    await afterwards()
  }
  expect(mails('backup-missed')).toHaveLength(2)
})

test('times when the appliance was off count as missed; those before a device had its schedule do not', async () => {
  const { one, two, policy, goTo, look, problems, signInAgain } = await scene()
  goTo('2026-03-02T09:00:00Z')
  await signInAgain()
  await policy('Later', nightly(), { level: 'device', targetId: two.deviceId })
  await look()
  await look()
  expect(problems(one)).toEqual([])
  goTo('2026-03-03T09:00:00Z')
  await look()
  expect(problems(one)).toEqual(['missed_twice'])
  expect(problems(two)).toEqual([])
})

test('another time of day, and another policy, begin anew', async () => {
  const { one, relink, policyId, linkId, goTo, look, problems, signInAgain } = await scene()
  goTo('2026-03-02T09:00:00Z')
  await signInAgain()
  const { status } = await relink(policyId, linkId, { inlineSettings: nightly(undefined, '01:00') })
  expect(status).toBe(200)
  await look()
  goTo('2026-03-03T09:00:00Z')
  await look()
  expect(problems(one)).toEqual([])
  goTo('2026-03-04T09:00:00Z')
  await look()
  expect(problems(one)).toEqual(['missed_twice'])
})

test('what is no longer protected, or leaves service, needs no attention', async () => {
  const { app, one, two, policy, policyId, goTo, look, problems, token } = await scene()
  await policy('Other', nightly(), { level: 'device', targetId: two.deviceId })
  await look()
  goTo('2026-03-03T09:00:00Z')
  await look()
  expect([problems(one), problems(two)]).toEqual([['missed_twice'], ['missed_twice']])
  app.db.statement('DELETE FROM config_policy_assignments WHERE config_policy_id = ?').run(policyId)
  await look()
  expect(problems(one)).toEqual([])
  const { status } = await app.call(decommissionDevice, { params: { id: two.deviceId } }, { token: await token() })
  expect(status).toBe(200)
  expect(problems(two)).toEqual([])
  await look()
  expect(problems(two)).toEqual([])
})

test('a mail that waits for its server is taken back when all devices in it are well again', async () => {
  const { app, one, scheduleAt, afterwards, end, mails } = await scene()
  const hold = () =>
    app.db.statement(
      `UPDATE tasks SET state = 'waiting', due_at = '2027-01-01T00:00:00.000Z', finished_at = NULL WHERE kind = 'mail.send'`,
    )
  for (const date of ['02', '03']) {
    await scheduleAt(`2026-03-${date}T02:00:05Z`)
    await end(one, failed)
    await afterwards()
  }
  expect(mails('backup-missed')).toHaveLength(1)
  hold().run()
  await scheduleAt('2026-03-04T02:00:05Z')
  await end(one, good)
  expect(mails('backup-missed')).toEqual([])
})

test('each morning at seven, in the time zone of the organization, one mail for each recipient says what is wrong', async () => {
  const { app, org, one, two, far, policy, scheduleAt, end, goTo, job, mail, mails, look, signInAgain } = await scene(
    nightly(['ops@acme.test', 'Boss@Acme.test', 'ops@acme.test']),
  )
  // In New York it is seven when it is noon in UTC.
  app.db.statement(`UPDATE organizations SET settings = '{"timezone":"America/New_York"}' WHERE id = ?`).run(org.id)
  goTo('2026-03-01T12:00:10Z')
  await signInAgain()
  await policy('Others', nightly(['ops@acme.test']), { level: 'device', targetId: two.deviceId })
  await policy('Nobody', nightly([]), { level: 'device', targetId: far.deviceId })
  await look()
  await mail()
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, failed)
  await end(two, partial)
  await end(far, failed)
  goTo('2026-03-02T11:59:50Z')
  await mail()
  expect(mails('backup-digest')).toEqual([])
  goTo('2026-03-02T12:00:10Z')
  await Promise.all(Array.from({ length: 10 }, () => job('backup.mail')))
  await mail()
  const problem = (name: string, device: string) => ({ problem: name, count: 1, devices: [device] })
  const sent = mails('backup-digest')
  expect(sent.map(({ to, data }) => [to, data.problems])).toEqual([
    ['ops@acme.test', [problem('failed', 'pc-1'), problem('partial', 'pc-2')]],
    ['boss@acme.test', [problem('failed', 'pc-1')]],
  ])
  await scheduleAt('2026-03-03T02:00:05Z')
  for (const device of [one, two]) await end(device, good)
  goTo('2026-03-03T12:00:10Z')
  await mail()
  expect(mails('backup-digest'), 'all is well').toHaveLength(2)
})

test('a morning comes once also at a clock change, late when the appliance was off, and not for the days between', async () => {
  const { app, org, one, scheduleAt, end, goTo, mail, mails } = await scene()
  app.db.statement(`UPDATE organizations SET settings = '{"timezone":"Europe/Berlin"}' WHERE id = ?`).run(org.id)
  await mail()
  await scheduleAt('2026-03-28T02:00:05Z')
  await end(one, failed)
  const at = async (instant: string) => {
    goTo(instant)
    await mail()
    return mails('backup-digest').length
  }
  expect(await at('2026-03-28T06:00:10Z')).toBe(1)
  // The clock goes forward in the night: seven is an hour earlier.
  expect(await at('2026-03-29T04:59:50Z')).toBe(1)
  expect(await at('2026-03-29T05:00:10Z')).toBe(2)
  expect(await at('2026-03-29T06:00:10Z')).toBe(2)
  // Off for three days.
  expect(await at('2026-04-01T15:00:00Z')).toBe(3)
  expect(await at('2026-04-01T15:01:00Z')).toBe(3)
})

test('mornings say what was never backed up and what was missed; a first backup that is not due yet is well', async () => {
  const { app, one, two, far, policy, goTo, mail, mails, look, scheduleAt, end } = await scene()
  await policy('New', nightly(undefined, '12:00'), { level: 'device', targetId: two.deviceId })
  await policy('Without restic', nightly(), { level: 'device', targetId: far.deviceId })
  setDevice(app, far.deviceId, { backup_version: null })
  await look()
  await mail()
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, good)
  // The appliance is off at two.
  goTo('2026-03-03T07:00:10Z')
  await mail()
  expect(mails('backup-digest').map(({ data }) => data.problems)).toEqual([
    [
      { problem: 'missed', count: 1, devices: ['pc-1'] },
      { problem: 'never', count: 1, devices: ['pc-2'] },
      { problem: 'no_engine', count: 1, devices: ['srv-1'] },
    ],
  ])
})

test('a mail of many devices names some and counts the others', async () => {
  const { app, org, one, policy, look, goTo, mail, mails } = await scene()
  const row = app.db.one(q.selectFrom('devices').selectAll().where('id', '=', one.deviceId))
  const { seq: _, ...columns } = row
  for (let at = 0; at < 30; at++) {
    const id = `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`
    app.db.run(q.insertInto('devices').values({ ...columns, id, agent_id: `agent-${at}`, hostname: `many-${at}` }))
  }
  await policy('All', nightly(), { level: 'organization', targetId: org.id })
  await look()
  goTo('2026-03-03T03:00:00Z')
  await look()
  await mail()
  const [sent, ...more] = mails('backup-missed')
  expect(more).toEqual([])
  // With the three of the company.
  expect(sent?.data).toMatchObject({ count: 33, devices: expect.objectContaining({ length: 20 }) })
})

test('addresses are checked, and at most twenty', async () => {
  const { create, link } = await scene({ ...home })
  const { body: policy } = await create({ name: 'Mailed' })
  const answers = [
    { notify: { emails: ['nobody'] } },
    { notify: { emails: Array.from({ length: 21 }, (_, at) => `a${at}@b.test`) } },
    { notify: {} },
  ].map((settings) => link(policy.id, { ...home, ...settings }))
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400])
  const { body } = await link(policy.id, { ...home, notify: { emails: ['A@b.test', 'a@B.test'] } })
  expect(body.inlineSettings).toMatchObject({ notify: { emails: ['a@b.test'] } })
})
