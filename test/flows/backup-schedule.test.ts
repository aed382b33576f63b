import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { setDevice } from '../helpers/rows.ts'
import { home, policyScene } from './policy-kit.ts'

/** Backups that the appliance starts by itself. The clock of the tests stands at 2026-03-01 09:00 UTC, or a little later. */

async function scene(schedule: object, catchUpHours = 0) {
  const made = await policyScene({ HOMEPORT_BACKUP_CATCH_UP_HOURS: String(catchUpHours) })
  const { app, admin, org, one, policy } = made
  await backupOperator(app, admin.token).storage({}, org.id)
  await policy('Scheduled', { ...home, schedule }, { level: 'device', targetId: one.deviceId })
  setDevice(app, one.deviceId, { status: 'online', backup_version: 'restic/0.18.0' })
  const tick = async () => {
    const { lastError } = await app.app.jobs.runNow('backup.schedule')
    expect(lastError).toBeNull()
  }
  const keys = () =>
    app.db
      .all(q.selectFrom('backup_jobs').select(['schedule_occurrence_key as key', 'type']).orderBy('created_at'))
      .map(({ key, type }) => `${type} ${key}`)
  const goTo = (instant: string) => app.clock.advance(Date.parse(instant) - app.clock.now())
  const end = () => app.db.statement(`UPDATE backup_jobs SET status = 'completed'`).run()
  return { ...made, tick, keys, goTo, end }
}

const daily = (time: string, timezone = 'UTC') => ({ frequency: 'daily', time, timezone })

test('a backup begins in the minute of its schedule, once, whatever ticks or starts again', async () => {
  const { tick, keys, goTo, end } = await scene(daily('12:00'))
  goTo('2026-03-01T11:59:59Z')
  await tick()
  expect(keys()).toEqual([])
  goTo('2026-03-01T12:00:05Z')
  await tick()
  await tick()
  end()
  await tick()
  expect(keys()).toEqual(['scheduled 2026-03-01T12:00'])
  goTo('2026-03-02T12:01:00Z')
  await tick()
  expect(keys()).toEqual(['scheduled 2026-03-01T12:00', 'scheduled 2026-03-02T12:00'])
})

test('an appliance that was off for ten minutes makes no backup, unless it is told to catch up: then one', async () => {
  const off = await scene(daily('12:00'))
  await off.tick()
  off.goTo('2026-03-01T12:06:00Z')
  await off.tick()
  expect(off.keys()).toEqual([])

  const late = await scene(daily('12:00'), 12)
  late.goTo('2026-03-01T20:00:00Z')
  await late.tick()
  await late.tick()
  expect(late.keys()).toEqual(['scheduled 2026-03-01T12:00'])
  // Only at the start.
  late.end()
  late.goTo('2026-03-02T12:30:00Z')
  await late.tick()
  expect(late.keys()).toHaveLength(1)
})

test('an appliance that starts again, and catches up, does not repeat a backup that it made before', async () => {
  const { app, admin, one, tick, keys, goTo, end } = await scene(daily('12:00'), 12)
  const { status } = await backupOperator(app, admin.token).run(one.deviceId)
  expect(status).toBe(201)
  app.db.statement(`UPDATE backup_jobs SET type = 'scheduled', schedule_occurrence_key = '2026-03-01T12:00'`).run()
  end()
  goTo('2026-03-01T13:00:00Z')
  // The first look of this process.
  await tick()
  expect(keys()).toEqual(['scheduled 2026-03-01T12:00'])
})

test('what was missed longer ago than the appliance catches up with is not made up for', async () => {
  const { tick, keys, goTo } = await scene({ frequency: 'weekly', time: '12:00', timezone: 'UTC', dayOfWeek: 0 }, 12)
  goTo('2026-03-02T09:00:00Z')
  await tick()
  expect(keys()).toEqual([])
})

test('at the clock change in autumn a repeated time runs once, in spring a missing one at its first minute', async () => {
  const { tick, keys, goTo, end } = await scene(daily('02:30', 'Europe/Berlin'))
  goTo('2026-03-29T00:59:00Z')
  await tick()
  expect(keys()).toEqual([])
  for (const at of ['2026-03-29T01:00:10Z', '2026-03-29T01:30:10Z']) {
    goTo(at)
    await tick()
    end()
  }
  for (const at of ['2026-10-25T00:30:10Z', '2026-10-25T01:30:10Z']) {
    goTo(at)
    await tick()
    end()
  }
  expect(keys()).toEqual(['scheduled 2026-03-29T02:30', 'scheduled 2026-10-25T02:30'])
})

test('a schedule whose time lies outside its window never runs', async () => {
  const { tick, keys, goTo } = await scene({ ...daily('12:00'), windowStart: '22:00', windowEnd: '05:00' })
  goTo('2026-03-01T12:00:05Z')
  await tick()
  expect(keys()).toEqual([])
})

test('while the backup before still waits or runs, no other is made; afterwards the next one is', async () => {
  const { app, tick, keys, goTo, end } = await scene(daily('12:00'))
  goTo('2026-03-01T12:00:05Z')
  await tick()
  app.db.statement(`UPDATE backup_jobs SET status = 'running'`).run()
  goTo('2026-03-02T12:00:05Z')
  await tick()
  expect(keys()).toHaveLength(1)
  end()
  goTo('2026-03-03T12:00:05Z')
  await tick()
  expect(keys()).toEqual(['scheduled 2026-03-01T12:00', 'scheduled 2026-03-03T12:00'])
})

test('a broken profile on the closest policy leaves the device out; a weaker policy does not take over', async () => {
  const { app, org, one, policy, profile, assign, tick, keys, goTo } = await scene(daily('12:00'))
  const weaker = await policy('All', { ...home, schedule: daily('12:00') })
  await assign(weaker.id, { level: 'organization', targetId: org.id })
  const broken = await profile({ selections: { file: { enabled: true, paths: ['/srv'] } } })
  await policy(
    'Broken',
    { schedule: daily('12:00') },
    { level: 'device', targetId: one.deviceId, priority: 0 },
    { featurePolicyId: broken.id },
  )
  app.db.statement('UPDATE backup_profiles SET selections = ?').run('{"file":{"enabled":false,"paths":[]}}')
  app.db.statement(`UPDATE config_policy_assignments SET priority = 9 WHERE level = 'device'`).run()
  app.db
    .statement(
      `UPDATE config_policy_assignments SET priority = 0 WHERE config_policy_id = (SELECT id FROM configuration_policies WHERE name = 'Broken')`,
    )
    .run()
  goTo('2026-03-01T12:00:05Z')
  await tick()
  const ofDevice = app.db.all(q.selectFrom('backup_jobs').select('id').where('device_id', '=', one.deviceId))
  expect(ofDevice).toEqual([])
  expect(keys().length).toBeGreaterThan(0)
})

test('an organization that is suspended, and a device that is quarantined or decommissioned, get none', async () => {
  const { app, one, tick, keys, goTo } = await scene(daily('12:00'))
  goTo('2026-03-01T12:00:05Z')
  for (const status of ['quarantined', 'decommissioned'] as const) {
    setDevice(app, one.deviceId, { status })
    await tick()
  }
  setDevice(app, one.deviceId, { status: 'online' })
  app.db.statement(`UPDATE organizations SET status = 'suspended'`).run()
  await tick()
  expect(keys()).toEqual([])
  app.db.statement(`UPDATE organizations SET status = 'active'`).run()
  await tick()
  expect(keys()).toHaveLength(1)
})
