import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { DeviceBackup } from '../../server/features/backup-policies/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { inSteps, untilDone } from '../../server/lib/pieces.ts'
import { updateBackupConfig } from '../../shared/api/backup-configs.ts'
import { updateBackupProfile } from '../../shared/api/backup-profiles.ts'
import { holdings } from '../helpers/factories.ts'
import { setDevice, setOrganization, setPartner } from '../helpers/rows.ts'
import { groupOf } from './group-kit.ts'
import { home, image, policyScene } from './policy-kit.ts'

/** What the policies mean for the backups of each device: what, when, how long, where to. */

const nightly = { frequency: 'daily', time: '02:30' } as const

async function scene() {
  const made = await policyScene()
  const { backupPolicies } = made
  return {
    ...made,
    of: (deviceId: string): DeviceBackup => {
      const backup = backupPolicies.ofDevice(deviceId)
      if (!backup) throw new Error('there is no such device')
      return backup
    },
    organizationIds: () => inSteps(untilDone, backupPolicies.organizationIds()),
    all: async (orgId: string) => {
      const found = new Map<string, DeviceBackup>()
      await inSteps(
        untilDone,
        backupPolicies.inOrganization(orgId, (backup) => found.set(backup.device.id, backup)),
      )
      return found
    },
  }
}

test('the closest policy says what is protected, when, how long and where to', async () => {
  const { org, site, one, far, policy, storage, of, backupPolicies } = await scene()
  const store = await storage({ isDefault: true })
  const offsite = await storage({ name: 'Offsite' })
  await policy('Everything', image, { level: 'organization', targetId: org.id })
  const settings = {
    ...home,
    schedule: { ...nightly, timezone: 'Asia/Tokyo' },
    retention: { keepDaily: 7 },
    destinationConfigId: offsite.id,
    bandwidthLimitMbps: 20,
  }
  const { id, linkId, assignmentId } = await policy('Site', settings, { level: 'site', targetId: site.id, priority: 3 })
  expect(of(one.deviceId)).toMatchObject({
    device: { id: one.deviceId, orgId: org.id, siteId: site.id },
    source: { assignmentId, policyId: id, policyName: 'Site', level: 'site', targetId: site.id, priority: 3 },
    plan: {
      linkId,
      protects: [{ mode: 'file', targets: { paths: ['/home'] } }],
      schedule: nightly,
      retention: { keepDaily: 7 },
      bandwidthLimitMbps: 20,
    },
    destination: { configId: offsite.id },
    timeZone: 'Asia/Tokyo',
    protection: { legalHold: null, immutability: null },
    chain: [{ outcome: 'won' }, { outcome: 'overridden' }],
  })
  expect(of(far.deviceId)).toMatchObject({
    plan: { protects: [{ mode: 'system_image' }], schedule: null, retention: {}, bandwidthLimitMbps: null },
    destination: { configId: store.id },
  })
  expect(backupPolicies.ofDevice(randomUUID())).toBeUndefined()
})

test('a device without a policy has no backup, and an organization without one is not asked', async () => {
  const { app, admin, org, one, policy, create, assign, of, all, organizationIds } = await scene()
  expect(of(one.deviceId)).toMatchObject({ source: null, plan: null, chain: [] })
  expect(await organizationIds()).toEqual([])
  const { id } = (await create()).body
  await assign(id, { level: 'device', targetId: one.deviceId })
  // It says nothing about backups.
  expect(of(one.deviceId)).toMatchObject({ source: null, plan: null, chain: [{ outcome: 'no_settings' }] })
  expect(await organizationIds()).toEqual([])
  await policy('Company', image, { level: 'partner' }, { ownerScope: 'partner' })
  const { org: second } = await holdings(app, admin.token, 'Second', 'second-1')
  expect((await organizationIds()).toSorted()).toEqual([org.id, second.id].toSorted())
  expect((await all(second.id)).size).toBe(1)
  setOrganization(app, second.id, { status: 'suspended' })
  expect(await organizationIds()).toEqual([org.id])
})

test('a profile makes one job for each selection; a broken one still governs, and no weaker policy takes over', async () => {
  const { app, org, site, one, policy, profile, of, all } = await scene()
  await policy('Weaker', image, { level: 'organization', targetId: org.id })
  const { id } = await profile({
    selections: { vmhost: { enabled: true }, database: { enabled: false }, file: { enabled: true, paths: ['/srv'] } },
  })
  await policy('Site', { schedule: nightly }, { level: 'site', targetId: site.id }, { featurePolicyId: id })
  expect(of(one.deviceId).plan?.protects).toEqual([
    { mode: 'file', targets: { paths: ['/srv'] } },
    { mode: 'vmhost', targets: { consistencyType: 'application', excludeVms: [] } },
  ])
  const broken = { file: { enabled: false, paths: [] } }
  app.db.run(
    q
      .updateTable('backup_profiles')
      .set({ selections: toJson(broken) })
      .where('id', '=', id),
  )
  expect(of(one.deviceId)).toMatchObject({
    source: { policyName: 'Site' },
    plan: { protects: 'broken_profile', schedule: nightly },
  })
  expect((await all(org.id)).get(one.deviceId)).toEqual(of(one.deviceId))
})

test('a profile that is no longer offered goes on for those who have it', async () => {
  const { app, admin, one, policy, profile, of } = await scene()
  const { id } = await profile()
  await policy('Device', {}, { level: 'device', targetId: one.deviceId }, { featurePolicyId: id })
  await app.call(updateBackupProfile, { params: { id }, body: { isActive: false } }, { token: admin.token })
  expect(of(one.deviceId).plan?.protects).toEqual([{ mode: 'file', targets: { paths: ['/home'] } }])
})

test('backups go where the link says, to what it is based on, or to the default; never to what is switched off', async () => {
  const { app, admin, org, one, two, far, policy, storage, of } = await scene()
  const target = (deviceId: string) => ({ level: 'device', targetId: deviceId }) as const
  const named = await storage({ name: 'Named' })
  const basis = await storage({ name: 'Basis' })
  await policy('Named', { ...image, destinationConfigId: named.id }, target(one.deviceId), {
    featurePolicyId: basis.id,
  })
  await policy('Basis', { ...image, destinationConfigId: null }, target(two.deviceId), { featurePolicyId: basis.id })
  await policy('Default', image, target(far.deviceId))
  const destinations = () => [one, two, far].map(({ deviceId }) => of(deviceId).destination)
  expect(destinations()).toEqual([{ configId: named.id }, { configId: basis.id }, 'no_config'])
  const preferred = await storage({ name: 'Default', isDefault: true })
  expect(destinations()[2]).toEqual({ configId: preferred.id })
  const switchOff = (id: string) =>
    app.call(
      updateBackupConfig,
      { params: { id }, query: { orgId: org.id }, body: { enabled: false } },
      { token: admin.token },
    )
  await switchOff(named.id)
  // Not to another place either, which nobody chose for it.
  expect(destinations()).toEqual(['no_config', { configId: basis.id }, { configId: preferred.id }])
  await switchOff(preferred.id)
  expect(destinations()[2]).toBe('no_config')
})

test('a policy of the company backs up to the default storage of each organization; one without has none', async () => {
  const { app, admin, one, policy, storage, of } = await scene()
  const second = await holdings(app, admin.token, 'Second', 'second-1')
  const store = await storage({ isDefault: true })
  await policy('Company', image, { level: 'partner' }, { ownerScope: 'partner' })
  expect(of(one.deviceId)).toMatchObject({ source: { level: 'partner' }, destination: { configId: store.id } })
  expect(of(second.device.deviceId)).toMatchObject({ source: { level: 'partner' }, destination: 'no_config' })
})

test('the time zone is the first valid one of schedule, site, organization and company', async () => {
  const { app, admin, org, site, one, policy, of } = await scene()
  const settings = { ...home, schedule: { ...nightly, timezone: 'Asia/Tokyo' } }
  const { linkId } = await policy('Nightly', settings, { level: 'organization', targetId: org.id })
  const zone = () => of(one.deviceId).timeZone
  expect(zone()).toBe('Asia/Tokyo')
  // Time zones come and go; the schedule stays.
  const invalid = toJson({ ...settings, schedule: { ...nightly, timezone: 'Mars/Olympus' } })
  app.db.run(q.updateTable('config_policy_feature_links').set({ inline_settings: invalid }).where('id', '=', linkId))
  app.db.run(q.updateTable('sites').set({ timezone: 'Europe/Lisbon' }).where('id', '=', site.id))
  expect(zone()).toBe('Europe/Lisbon')
  expect(of(one.deviceId).plan?.schedule).toEqual(nightly)
  app.db.run(q.updateTable('sites').set({ timezone: 'nowhere' }).where('id', '=', site.id))
  setOrganization(app, org.id, { settings: toJson({ timezone: 'America/New_York' }) })
  expect(zone()).toBe('America/New_York')
  setOrganization(app, org.id, { settings: toJson({ timezone: 7 }) })
  setPartner(app, admin.partnerId, { timezone: 'Europe/Berlin' })
  expect(zone()).toBe('Europe/Berlin')
  setPartner(app, admin.partnerId, { timezone: '' })
  expect(zone()).toBe('UTC')
})

test('legal hold and immutability of every policy that applies count, not only of the closest one', async () => {
  const { org, site, one, policy, of } = await scene()
  const everywhere = { level: 'organization', targetId: org.id } as const
  await policy(
    'Closest',
    { ...home, retention: { immutabilityMode: 'application', immutableDays: 30 } },
    { level: 'site', targetId: site.id },
  )
  const hold = { legalHold: true, legalHoldReason: 'Lawsuit', immutabilityMode: 'provider', immutableDays: 30 }
  const { id } = await policy('Hold', { ...image, retention: hold }, everywhere)
  const longer = { ...image, retention: { immutabilityMode: 'provider', immutableDays: 90 } }
  await policy('Windows only', longer, { ...everywhere, osFilter: ['windows'] })
  await policy('Off', longer, everywhere, { status: 'inactive' })
  const policyName = 'Hold'
  expect(of(one.deviceId)).toMatchObject({
    source: { policyName: 'Closest' },
    plan: { retention: { immutableDays: 30 } },
    protection: {
      legalHold: { reason: 'Lawsuit', policyName, policyIds: [id] },
      immutability: { mode: 'provider', days: 30, policyName, policyId: id },
    },
  })
})

test('all devices of an organization together are answered as each one alone, and quickly', async () => {
  const made = await scene()
  const { app, org, site, branch, one, policy, all, of, storage } = made
  await storage({ isDefault: true })
  const ids = manyDevices(made.app, one.deviceId, 10_000, [site.id, branch.id])
  const group = await groupOf(made)
  const insert = app.db.statement(
    `INSERT INTO device_group_members (group_id, device_id, added_by, added_at) VALUES (?, ?, 'manual', '')`,
  )
  app.db.transaction(() => {
    for (const id of ids.filter((_, at) => at % 3 === 0)) insert.run(group.id, id)
  })
  await policy('Organization', { ...home, schedule: nightly }, { level: 'organization', targetId: org.id })
  await policy('Site', home, { level: 'site', targetId: branch.id, roleFilter: ['server'] })
  await policy('Group', image, { level: 'device_group', targetId: group.id, osFilter: ['windows'] })
  for (const id of ids.slice(0, 20)) await policy(`Of ${id}`, image, { level: 'device', targetId: id })
  const begun = performance.now()
  const found = await all(org.id)
  expect(performance.now() - begun).toBeLessThan(3000)
  expect(found.size).toBe(
    app.db.statement(`SELECT count(*) FROM devices WHERE status <> 'decommissioned'`).pluck().get(),
  )
  for (const id of [...ids.slice(0, 40), ...ids.slice(-40)])
    expect(found.get(id), id).toEqual(isOut(id) ? undefined : of(id))
  expect(new Set([...found.values()].map(({ source }) => source?.level))).toEqual(
    new Set(['device', 'device_group', 'site', 'organization']),
  )

  function isOut(id: string) {
    return app.db.one(q.selectFrom('devices').select('status').where('id', '=', id)).status === 'decommissioned'
  }
})

/** Like one that exists, of several systems, roles and sites; one in fifty is out of service. */
function manyDevices(app: Awaited<ReturnType<typeof scene>>['app'], like: string, count: number, sites: string[]) {
  const { seq: _, ...device } = app.db.one(q.selectFrom('devices').selectAll().where('id', '=', like))
  const pick = <T>(of: readonly T[], at: number) => of[at % of.length] as T
  return app.db.transaction(() =>
    Array.from({ length: count }, (_none, at) => {
      const id = randomUUID()
      setUp(id, at)
      return id
    }),
  )

  function setUp(id: string, at: number) {
    const unique = { id, agent_id: id, agent_token_hash: null, hostname: `many-${at}` }
    app.db.run(q.insertInto('devices').values({ ...device, ...unique }))
    setDevice(app, id, {
      site_id: pick(sites, at),
      os_type: pick(['linux', 'windows', 'macos'] as const, at >> 1),
      device_role: pick(['server', 'workstation'] as const, at >> 2),
      status: at % 50 === 7 ? 'decommissioned' : 'online',
    })
  }
}
