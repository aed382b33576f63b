import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { day, hour, minute } from '../../server/platform/clock.ts'
import {
  createSlaConfig,
  deleteSlaConfig,
  listSlaConfigs,
  listSlaEvents,
  type SlaEvent,
  slaDashboard,
  slaHistory,
  updateSlaConfig,
} from '../../shared/api/backup-sla.ts'
import { decommissionDevice, moveDeviceToOrganization } from '../../shared/api/devices.ts'
import type { BodyOf, InputOf } from '../../shared/endpoint.ts'
import { holdings, otherCompany, person } from '../helpers/factories.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { auditOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { good, nightly, partial, reportScene } from './backup-report-kit.ts'
import { groupOf } from './group-kit.ts'

/** What is promised about backups: breaches open and resolve by themselves, and people are told once. */

const rpo = 26 * 60

async function scene() {
  const made = await reportScene()
  const { app, org, token, job } = made
  for (const { deviceId } of [made.one, made.two, made.far])
    setDevice(app, deviceId, { enrolled_at: '2026-01-01T00:00:00.000Z' })
  const query = { orgId: org.id }
  const check = async () => {
    await job('backup.attention')
    await job('backup.sla')
  }
  const create = async (body: Partial<BodyOf<typeof createSlaConfig>> = {}, as?: string) =>
    app.call(
      createSlaConfig,
      { query, body: { name: 'Servers', rpoTargetMinutes: rpo, rtoTargetMinutes: 240, ...body } },
      { token: as ?? (await token()) },
    )
  const update = async (id: string, body: NonNullable<InputOf<typeof updateSlaConfig>['body']>, as?: string) =>
    app.call(updateSlaConfig, { params: { id }, query, body }, { token: as ?? (await token()) })
  const remove = async (id: string, as?: string) =>
    app.call(deleteSlaConfig, { params: { id }, query }, { token: as ?? (await token()) })
  const events = async (filter: InputOf<typeof listSlaEvents>['query'] = {}, as?: string): Promise<SlaEvent[]> =>
    (await app.call(listSlaEvents, { query: { ...query, ...filter } }, { token: as ?? (await token()) })).body.data
  const open = async (as?: string) =>
    (await events({ state: 'open' }, as)).map(({ deviceName, eventType }) => `${deviceName} ${eventType}`).sort()
  const dashboard = async (as?: string) =>
    (await app.call(slaDashboard, { query }, { token: as ?? (await token()) })).body.data
  const made200 = async (body: Partial<BodyOf<typeof createSlaConfig>> = {}) => {
    const answer = await create(body)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body.data
  }
  /** The device is backed up now, whatever its policy says of the time. */
  const protect = async (device: { deviceId: string }, settings: object = nightly()) => {
    await made.signInAgain()
    await made.policy('Nightly', settings, { level: 'device', targetId: device.deviceId })
    await made.look()
  }
  return { ...made, query, check, create, made200, update, remove, events, open, dashboard, protect }
}

test('a device without a recent backup is in breach until it has one, and again when that one is too old', async () => {
  const { app, one, protect, made200, scheduleAt, end, check, open, events, dashboard } = await scene()
  await protect(one)
  const sla = await made200({ targetDevices: [one.deviceId] })
  expect(sla).toMatchObject({
    breachedDevices: 1,
    deviceCount: 1,
    targetDeviceNames: [{ id: one.deviceId, name: 'pc-1' }],
  })
  // The schedule is younger than the window: nothing was missed yet.
  expect(await open()).toEqual(['pc-1 rpo_breach'])
  expect(await events()).toMatchObject([
    {
      slaConfigName: 'Servers',
      details: { rpoTargetMinutes: rpo, actualMinutes: null, lastBackupAt: null },
      resolvedAt: null,
    },
  ])
  expect(await dashboard()).toMatchObject({
    activeConfigs: 1,
    compliantConfigs: 0,
    compliancePercent: 0,
    activeBreaches: 1,
  })
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, partial)
  await check()
  expect(await open()).toEqual([])
  expect(await dashboard()).toMatchObject({
    compliantConfigs: 1,
    compliancePercent: 100,
    activeBreaches: 0,
    totalEventsLast30d: 1,
  })
  app.clock.advance(rpo * minute - hour)
  await check()
  expect(await open()).toEqual([])
  app.clock.advance(hour + minute)
  await check()
  expect(await open()).toEqual(['pc-1 missed_backup', 'pc-1 rpo_breach'])
  const [newest] = await events({ eventType: 'rpo_breach' })
  expect(newest?.details).toMatchObject({
    actualMinutes: rpo + 1,
    lastBackupAt: expect.stringContaining('2026-03-02T02:0'),
  })
})

test('however often it is checked, one breach of a kind is open for a device and an SLA', async () => {
  const { one, two, made200, job, check, events } = await scene()
  await made200({ targetDevices: [one.deviceId, two.deviceId] })
  await made200({ name: 'Also', targetDevices: [one.deviceId] })
  for (let again = 0; again < 3; again++) await check()
  await Promise.all(Array.from({ length: 10 }, () => job('backup.sla')))
  expect(await events()).toHaveLength(3)
})

test('without named devices it is for each that a policy protects, with a schedule or without; groups are for their members', async () => {
  const fleet = await scene()
  const { app, one, two, far, protect, made200, update, check, open } = fleet
  await protect(one)
  const { schedule: _, ...byHand } = nightly()
  await protect(two, byHand)
  const { id } = await made200()
  expect(await open()).toEqual(['pc-1 rpo_breach', 'pc-2 rpo_breach'])
  await fleet.signInAgain()
  const group = await groupOf(fleet)
  const member = { group_id: group.id, device_id: far.deviceId, added_by: 'manual', added_at: '2026-01-01' } as const
  app.db.run(q.insertInto('device_group_members').values(member))
  await update(id, { targetGroups: [group.id] })
  expect(await open()).toEqual(['srv-1 rpo_breach'])
  app.db.run(q.deleteFrom('device_group_members').where('group_id', '=', group.id))
  await check()
  expect(await open(), 'a group without members is not everybody').toEqual([])
})

test('a device that was enrolled within the window has had no time for a backup', async () => {
  const { app, one, made200, check, open } = await scene()
  setDevice(app, one.deviceId, { enrolled_at: new Date(app.clock.now() - hour).toISOString() })
  await made200({ targetDevices: [one.deviceId] })
  expect(await open()).toEqual([])
  app.clock.advance(rpo * minute)
  await check()
  expect(await open()).toEqual(['pc-1 rpo_breach'])
})

test('a device in breach with an old backup stays in breach when it is enrolled again, until it has a newer one', async () => {
  const { app, one, two, protect, made200, scheduleAt, end, goTo, check, open } = await scene()
  for (const device of [one, two]) await protect(device)
  await scheduleAt('2026-03-02T02:00:05Z')
  for (const device of [one, two]) await end(device, good)
  goTo('2026-03-03T10:00:00Z')
  const enrollAgain = ({ deviceId }: typeof one) =>
    setDevice(app, deviceId, { enrolled_at: '2026-03-03T09:00:00.000Z' })
  enrollAgain(two)
  await made200({ targetDevices: [one.deviceId, two.deviceId] })
  expect(await open()).toEqual(['pc-1 missed_backup', 'pc-1 rpo_breach'])
  enrollAgain(one)
  await check()
  expect(await open()).toEqual(['pc-1 missed_backup', 'pc-1 rpo_breach'])
  await scheduleAt('2026-03-04T02:00:05Z')
  for (const device of [one, two]) await end(device, good)
  await check()
  expect(await open()).toEqual([])
})

test('turned off, for other devices, or for a device that leaves: what was open is resolved', async () => {
  const { app, one, two, far, made200, update, check, open, events, token, signInAgain } = await scene()
  const { id } = await made200({ targetDevices: [one.deviceId, two.deviceId, far.deviceId] })
  expect(await open()).toHaveLength(3)
  await update(id, { targetDevices: [two.deviceId, far.deviceId] })
  expect(await open()).toEqual(['pc-2 rpo_breach', 'srv-1 rpo_breach'])
  expect((await app.call(decommissionDevice, { params: { id: far.deviceId } }, { token: await token() })).status).toBe(
    200,
  )
  expect(await open()).toEqual(['pc-2 rpo_breach'])
  await check()
  expect(await open()).toEqual(['pc-2 rpo_breach'])
  await signInAgain()
  await update(id, { isActive: false })
  expect(await open()).toEqual([])
  await check()
  expect(await open()).toEqual([])
  expect(await events()).toHaveLength(3)
  await update(id, { isActive: true })
  expect(await open()).toEqual(['pc-2 rpo_breach'])
})

test('an SLA that is deleted takes its events along, and what needed attention with them', async () => {
  const { app, one, made200, remove, events, problems, dashboard } = await scene()
  const { id } = await made200({ targetDevices: [one.deviceId] })
  expect(problems(one)).toEqual(['sla_breach'])
  expect((await remove(id)).body).toEqual({ success: true })
  expect(await events()).toEqual([])
  expect(problems(one)).toEqual([])
  expect(await dashboard()).toMatchObject({ activeConfigs: 0, compliancePercent: 100, totalEventsLast30d: 0 })
  expect(app.db.statement('SELECT count(*) FROM backup_sla_events').pluck().get()).toBe(0)
  expect((await remove(id)).status).toBe(404)
})

test('people whom the policies name are mailed once for all devices; nobody when that is off, or over again', async () => {
  const { one, two, protect, made200, update, check, mails, problems, scheduleAt, end } = await scene()
  await protect(one)
  await protect(two, nightly(['ops@acme.test', 'boss@acme.test']))
  const { id } = await made200()
  expect(mails('backup-sla-breach'), 'not before the next check').toEqual([])
  await check()
  for (let again = 0; again < 3; again++) await check()
  expect(mails('backup-sla-breach').map(({ to, data }) => [to, data.slaName, data.devices])).toEqual([
    ['ops@acme.test', 'Servers', ['pc-1', 'pc-2']],
    ['boss@acme.test', 'Servers', ['pc-2']],
  ])
  expect(problems(one)).toEqual(['sla_breach'])
  await update(id, { alertOnBreach: false })
  expect(problems(one)).toEqual([])
  await scheduleAt('2026-03-02T02:00:05Z')
  await end(one, good)
  await check()
  await scheduleAt('2026-03-05T02:00:05Z')
  await check()
  expect(mails('backup-sla-breach')).toHaveLength(2)
})

test('a breach that is over before its mail was written is not mailed', async () => {
  const { app, one, protect, made200, update, check, mails } = await scene()
  await protect(one)
  const { id } = await made200({ targetDevices: [one.deviceId] })
  await update(id, { isActive: false })
  await check()
  expect(mails('backup-sla-breach')).toEqual([])
  expect(app.db.statement('SELECT count(*) FROM backup_sla_events WHERE is_mail_due = 1').pluck().get()).toBe(0)
})

test('devices and groups of others are refused, and nothing is written', async () => {
  const { app, org, one, create, made200, update, signInAgain, admin } = await scene()
  const other = await otherCompany(app)
  await signInAgain()
  const hamburg = await holdings(app, admin.token, 'Hamburg', 'hh-1')
  const { id } = await made200({ targetDevices: [one.deviceId] })
  const before = app.rowCounts()
  for (const strange of [other.device.deviceId, hamburg.device.deviceId, org.id]) {
    for (const body of [{ targetDevices: [one.deviceId, strange] }, { targetGroups: [strange] }]) {
      expect((await create(body)).body).toMatchObject({ code: 'sla_target_unknown' })
      expect((await update(id, body)).body).toMatchObject({ code: 'sla_target_unknown' })
    }
  }
  const after = app.rowCounts()
  for (const table of ['backup_sla_configs', 'backup_sla_events', 'audit_logs'] as const)
    expect(after[table], table).toBe(before[table])
})

test('a device that moves to another organization stays named and is no target there; the rest can still be changed', async () => {
  const { app, admin, one, two, made200, update, check, open, signInAgain, token } = await scene()
  await signInAgain()
  const hamburg = await holdings(app, admin.token, 'Hamburg', 'hh-1')
  const { id } = await made200({ targetDevices: [one.deviceId, two.deviceId] })
  const move = { params: { id: one.deviceId }, body: { orgId: hamburg.org.id, siteId: hamburg.site.id } }
  expect((await app.call(moveDeviceToOrganization, move, { token: await token() })).status).toBe(200)
  await check()
  expect(await open()).toEqual(['pc-2 rpo_breach'])
  const changed = await update(id, { name: 'Left', targetDevices: [one.deviceId, two.deviceId] })
  expect(changed.status).toBe(200)
  expect(changed.body.data.targetDeviceNames).toMatchObject([{ name: 'pc-2' }])
})

test('somebody confined to a site sees breaches of its devices only, and no SLA', async () => {
  const { app, org, site, one, far, made200, events, open, dashboard, create, update } = await scene()
  const { id } = await made200({ targetDevices: [one.deviceId, far.deviceId] })
  const confined = await person(app, { email: 'site@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] })
  const list = await app.call(listSlaConfigs, { query: { orgId: org.id } }, { token: confined.token })
  expect(list.body.data).toEqual([])
  expect(await open(confined.token)).toEqual(['pc-1 rpo_breach'])
  expect(await events({ deviceId: far.deviceId }, confined.token)).toEqual([])
  expect(await dashboard(confined.token)).toMatchObject({
    activeBreaches: 1,
    breachedDevices: 1,
    totalEventsLast30d: 1,
  })
  expect((await create({}, confined.token)).status).toBe(403)
  expect([403, 404]).toContain((await update(id, { name: 'Mine' }, confined.token)).status)
})

test('the live stream says each breach once, to those who see the device, where people want to be told', async () => {
  const { app, org, site, one, far, made200, check, origin, token } = await scene()
  const confined = await person(app, { email: 'site@x.test', scope: 'organization', orgId: org.id, siteIds: [site.id] })
  using all = await liveStream(origin, await token())
  using some = await liveStream(origin, confined.token)
  await made200({ name: 'Quiet', targetDevices: [one.deviceId], alertOnBreach: false })
  const { id } = await made200({ targetDevices: [one.deviceId, far.deviceId] })
  await check()
  // Events come in order: what was said before this one has arrived.
  const later = await made200({ name: 'Later', targetDevices: [one.deviceId] })
  const ofDevices = ({ events }: typeof all) =>
    events.flatMap((event) => (event.type === 'backup.sla_breach' ? [event] : []))
  for (const stream of [all, some])
    await stream.event((event) => event.type === 'backup.sla_breach' && event.slaConfigId === later.id)
  const said = (stream: typeof all) => ofDevices(stream).filter(({ slaConfigId }) => slaConfigId === id)
  expect(said(all).map(({ deviceId, eventType }) => [deviceId, eventType])).toEqual(
    [one, far].map(({ deviceId }) => [deviceId, 'rpo_breach']),
  )
  expect(said(some)).toMatchObject([
    { deviceId: one.deviceId, details: { rpoTargetMinutes: rpo, actualMinutes: null, lastBackupAt: null } },
  ])
  expect(ofDevices(all), 'nothing of the quiet one').toHaveLength(3)
})

test('another company, and an organization out of reach, see nothing and change nothing', async () => {
  const { app, org, one, made200, update, remove } = await scene()
  const { id } = await made200({ targetDevices: [one.deviceId] })
  const other = await otherCompany(app)
  for (const endpoint of [listSlaConfigs, listSlaEvents, slaDashboard, slaHistory] as const)
    expect((await app.call(endpoint, { query: { orgId: org.id } }, { token: other.admin.token })).status).toBe(400)
  expect((await update(id, { name: 'Mine' }, other.admin.token)).status).toBe(404)
  expect((await remove(id, other.admin.token)).status).toBe(404)
  expect(auditOf(app, 'backup.sla_config.update')).toEqual([])
})

test('what somebody does is in the audit log with the values before and after', async () => {
  const { app, one, made200, update, remove } = await scene()
  const { id } = await made200({ targetDevices: [one.deviceId] })
  await update(id, { rpoTargetMinutes: 60 })
  await remove(id)
  expect(auditOf(app, 'backup.sla_config.create')).toMatchObject([
    { resource_name: 'Servers', details: { rpoTargetMinutes: rpo } },
  ])
  expect(auditOf(app, 'backup.sla_config.update')).toMatchObject([
    {
      details: {
        changedFields: ['rpoTargetMinutes'],
        before: { rpoTargetMinutes: rpo },
        after: { rpoTargetMinutes: 60 },
      },
    },
  ])
  expect(auditOf(app, 'backup.sla_config.delete')).toHaveLength(1)
})

test('in an organization that is not at work nothing opens and nothing is resolved', async () => {
  const { app, org, one, two, made200, check } = await scene()
  await made200({ targetDevices: [one.deviceId] })
  const rows = () => app.db.all(q.selectFrom('backup_sla_events').selectAll())
  const before = rows()
  setOrganization(app, org.id, { status: 'suspended' })
  app.db.run(q.updateTable('backup_sla_configs').set({ target_devices: JSON.stringify([two.deviceId]) as never }))
  await check()
  expect(rows().map(({ is_mail_due: _, ...row }) => row)).toEqual(before.map(({ is_mail_due: _, ...row }) => row))
})

test('the history has each device once a day, for as long as something was not kept', async () => {
  const { app, one, two, query, made200, update, check, token } = await scene()
  const { id } = await made200({ targetDevices: [one.deviceId, two.deviceId] })
  await made200({ name: 'Also', targetDevices: [one.deviceId] })
  app.clock.advance(2 * day)
  await update(id, { isActive: false })
  app.clock.advance(day)
  await check()
  const history = async (days: string) =>
    (await app.call(slaHistory, { query: { ...query, days } as never }, { token: await token() })).body.data
  const { points } = await history('7')
  expect(points.map(({ timestamp, devices, found }) => [timestamp.slice(5, 10), devices, found])).toEqual([
    ['02-26', 0, 0],
    ['02-27', 0, 0],
    ['02-28', 0, 0],
    ['03-01', 2, 3],
    ['03-02', 2, 0],
    ['03-03', 2, 0],
    ['03-04', 1, 0],
  ])
  const bad = await app.call(slaHistory, { query: { ...query, days: '91' } as never }, { token: await token() })
  expect(bad.status).toBe(400)
  app.clock.advance(366 * day)
  await check()
  expect(app.db.statement('SELECT count(*) FROM backup_sla_events').pluck().get(), 'kept for a year').toBe(1)
})

test('what needs attention follows the events after a stop in between, at the next start or within an hour', async () => {
  const { app, one, protect, made200, check } = await scene()
  const attention = () =>
    app.db.all(
      q
        .selectFrom('backup_attention')
        .select('device_id')
        .where('kind', '=', 'sla_breach')
        .where('resolved_at', 'is', null),
    )
  await protect(one)
  await made200({ targetDevices: [one.deviceId] })
  await check()
  expect(attention()).toEqual([{ device_id: one.deviceId }])
  app.db.run(q.deleteFrom('backup_attention').where('kind', '=', 'sla_breach'))
  app.clock.advance(hour)
  await check()
  expect(attention()).toEqual([{ device_id: one.deviceId }])
})
