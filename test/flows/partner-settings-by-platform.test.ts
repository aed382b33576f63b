import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { person } from '../helpers/factories.ts'
import { setPartner } from '../helpers/rows.ts'
import { answer, behindProxy, platform } from './partner-kit.ts'

/** The route for operators and the one for members of the partner apply the same rules to its settings. */
const routes = ['patch', 'patchOwn'] as const
type Scene = Awaited<ReturnType<typeof platform>>
const settingsOf = async (scene: Scene) => (await scene.read()).body.settings
const list = (...ipAllowlist: unknown[]) => ({ settings: { security: { ipAllowlist } } })
const entryMessage = 'Each IP allowlist entry must be a valid IP address or CIDR range'

test.each(routes)('%s keeps the IP allow-list when a change of security omits it', async (route) => {
  await using scene = await platform(behindProxy)
  await scene.patch(list('203.0.113.0/24'))
  expect((await scene[route]({ settings: { security: { requireMfa: false } } })).status).toBe(200)
  expect((await scene[route]({ settings: { security: {}, timezone: 'Europe/Berlin' } })).status).toBe(200)
  expect(await settingsOf(scene)).toMatchObject({
    timezone: 'Europe/Berlin',
    security: { requireMfa: false, ipAllowlist: ['203.0.113.0/24'] },
  })
})

test.each(routes)('%s keeps omitted keys of a changed group', async (route) => {
  await using scene = await platform()
  await scene[route]({
    settings: {
      contact: { email: 'ada@acme.test', website: 'https://acme.test' },
      address: { street1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
      businessHours: { preset: 'custom', custom: { mon: { start: '08:00', end: '17:00' } } },
      security: { allowedMfaMethods: { totp: true } },
    },
  })
  const change = {
    contact: { name: 'A' },
    address: { city: 'Potsdam', street2: '' },
    businessHours: { custom: { sunday: { start: '', end: '', closed: true } } },
    security: { allowedMfaMethods: { sms: false } },
  }
  expect((await scene[route]({ settings: change })).status).toBe(200)
  expect(await settingsOf(scene)).toMatchObject({
    contact: { name: 'A', email: 'ada@acme.test', website: 'https://acme.test' },
    address: { street1: 'Hauptstr. 1', street2: '', city: 'Potsdam', postalCode: '10115', country: 'DE' },
    businessHours: { preset: 'custom', custom: { sunday: { start: '', end: '', closed: true } } },
    security: { allowedMfaMethods: { totp: true, sms: false }, allowedMethods: { totp: true, sms: false } },
  })
})

test.each(routes)('%s clears the IP allow-list without a trusted proxy', async (route) => {
  await using scene = await platform()
  setPartner(scene.app, scene.admin.partnerId, { settings: toJson(list('203.0.113.0/24').settings) })
  const cleared = await scene.patch(list())
  expect([cleared.status, cleared.body.settings]).toEqual([200, { security: { ipAllowlist: [] } }])
  expect((await scene[route](list())).status).toBe(200)
})

test.each(routes)('%s refuses a first address without a trusted proxy and stores nothing', async (route) => {
  await using scene = await platform()
  const { status, body } = await scene[route]({
    name: 'Other',
    settings: { timezone: 'Europe/Berlin', ...list('::1').settings },
  })
  expect([status, body.code]).toEqual([400, 'proxy_trust_required'])
  expect((await scene.read()).body).toMatchObject({ name: 'Acme', timezone: 'UTC', settings: {} })
})

test('a new partner gets an IP allow-list by the same rules', async () => {
  const umbrella = { name: 'Umbrella', slug: 'umbrella', ...list(' 10.1.2.3/8 ') }
  await using plain = await platform()
  const refused = await plain.create(umbrella)
  expect([refused.status, refused.body.code]).toEqual([400, 'proxy_trust_required'])
  expect((await plain.list()).body.pagination.total).toBe(1)

  await using scene = await platform(behindProxy)
  expect((await scene.create(umbrella, {})).body.code, 'past the proxy').toBe('proxy_trust_required')
  expect(answer(await scene.create({ ...umbrella, ...list('10.0.0.0/33') }))).toEqual([
    400,
    `settings.security.ipAllowlist.0: ${entryMessage}`,
  ])
  const made = await scene.create(umbrella)
  expect([made.status, made.body.settings]).toEqual([201, { security: { ipAllowlist: ['10.1.2.3/8'] } }])
  const more = await scene.patch(list('10.0.0.0/8', '::1'), made.body.id, {})
  expect(more.status, 'a list that is there already may change from anywhere').toBe(200)
})

test.each(routes)('%s refuses invalid addresses by name', async (route) => {
  await using scene = await platform(behindProxy)
  for (const entry of ['10.0.0.0/33', '1.2.3', '::1/129', '', 'host.local', '1.2.3.4/ 8', '10.0.0.1-9', '10.0.0.*'])
    expect(answer(await scene[route]({ name: 'Other', ...list('::1', entry) })), entry).toEqual([
      400,
      `settings.security.ipAllowlist.1: ${entryMessage}`,
    ])
  for (const ipAllowlist of [[7], ['::1', null], 'x', { 0: '::1' }, null])
    expect((await scene[route]({ settings: { security: { ipAllowlist } } })).status, `${ipAllowlist}`).toBe(400)
  expect((await scene.read()).body).toMatchObject({ name: 'Acme', settings: {} })
  await scene[route](list(' 10.1.2.3/8 ', '203.0.113.9'))
  expect(await settingsOf(scene)).toEqual({ security: { ipAllowlist: ['10.1.2.3/8', '203.0.113.9'] } })
})

test('a network entry covers its addresses and no others', async () => {
  await using scene = await platform(behindProxy)
  const { app, admin, patch } = scene
  const { token } = await person(app, { email: 'ann@x.test', scope: 'partner', partnerId: admin.partnerId })
  await patch(list(' 10.1.2.3/8 '))
  const from = async (ip: string) =>
    (
      await app.inject({
        url: '/api/v1/orgs/partners/me',
        headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': ip },
      })
    ).statusCode
  expect([await from('10.200.0.1'), await from('::ffff:10.9.9.9'), await from('11.0.0.1')]).toEqual([200, 200, 403])
})

test.each(routes)('%s accepts business hours as times of day and names the invalid day', async (route) => {
  await using scene = await platform()
  const hours = (custom: Record<string, object>) => scene[route]({ settings: { businessHours: { custom } } } as never)
  const open = { start: '08:00', end: '17:00' }
  for (const [day, field, message] of [
    [{ ...open, start: '8:00' }, 'start', 'HH:MM'],
    [{ ...open, start: '24:00' }, 'start', 'HH:MM'],
    [{ ...open, end: '24:00' }, 'end', 'HH:MM'],
    [{ ...open, end: '17:00:00' }, 'end', 'HH:MM'],
    [{ ...open, end: '17.00' }, 'end', 'HH:MM'],
    [{ ...open, end: 'evening' }, 'end', 'HH:MM'],
    [{ ...open, end: 17 }, 'end', 'HH:MM'],
    [{ ...open, start: '' }, 'start', 'needs a start'],
    [{ ...open, end: '', closed: false }, 'end', 'needs an end'],
    [{ ...open, end: '08:00' }, 'end', 'differ'],
    [{ ...open, end: 'evening', closed: true }, 'end', 'HH:MM'],
  ] as const) {
    const { status, body } = await hours({ mon: open, tue: day })
    const details = body.details as { fieldErrors: Record<string, string[]> }
    expect([status, body.code, Object.keys(details.fieldErrors)], JSON.stringify(day)).toEqual([
      400,
      'validation_failed',
      [`settings.businessHours.custom.tue.${field}`],
    ])
    expect(JSON.stringify(details.fieldErrors)).toContain(message)
  }
  expect(await settingsOf(scene)).toEqual({})
  const week = {
    mon: { start: '00:00', end: '23:59' },
    // Until the next day.
    fri: { start: '22:00', end: '06:00', closed: false },
    sat: { start: '18:00', end: '00:00' },
    sun: { start: '', end: '', closed: true },
  }
  expect((await hours(week)).status).toBe(200)
  expect(await settingsOf(scene)).toEqual({ businessHours: { custom: week } })
})

test('hours stored in another format are returned unchanged until they are written again', async () => {
  await using scene = await platform()
  const odd = { preset: 'custom', custom: { mon: { start: '9', end: 'late' } } }
  setPartner(scene.app, scene.admin.partnerId, { settings: toJson({ businessHours: odd }) })
  expect(await settingsOf(scene)).toEqual({ businessHours: odd })
  expect((await scene.patch({ settings: { businessHours: { preset: 'business' } } })).status).toBe(200)
  expect(await settingsOf(scene)).toEqual({ businessHours: { ...odd, preset: 'business' } })
})

test.each(routes)('%s refuses null and wrong types for known keys', async (route) => {
  await using scene = await platform()
  const nothing = {
    timezone: null,
    dateFormat: null,
    timeFormat: '24',
    language: 'de',
    businessHours: null,
    contact: null,
    address: null,
    security: null,
    organizationOrder: null,
  }
  const within = {
    businessHours: { preset: 'never', custom: null },
    contact: { name: null, email: 'x', phone: null, website: 'ftp://acme.test' },
    address: { street1: null, city: 7, postalCode: '1'.repeat(33), country: 'DEU' },
    security: {
      ipAllowlist: null,
      mfaEnrollmentGraceDays: 31,
      requireMfa: null,
      allowedMfaMethods: { sms: null },
      allowedMethods: [],
      minLength: 5,
      complexity: 'x',
      expirationDays: -1,
      sessionTimeout: 0,
      maxSessions: 0,
    },
  }
  const wrong = [
    ...Object.entries(nothing).map(([key, value]) => ({ [key]: value })),
    ...Object.entries(within).flatMap(([group, keys]) =>
      Object.entries(keys).map(([key, value]) => ({ [group]: { [key]: value } })),
    ),
    { timezone: 'Mars/Base' },
    { organizationOrder: ['x'] },
    { organizationOrder: Array(10_001).fill('c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11') },
  ]
  for (const settings of wrong) expect((await scene[route]({ settings })).status, JSON.stringify(settings)).toBe(400)
  expect(await settingsOf(scene)).toEqual({})
  expect(
    (await scene[route]({ settings: { contact: { email: '', website: '' }, address: { country: '' } } })).status,
  ).toBe(200)
})

test('unknown keys can be written only by operators and are kept when a partner saves', async () => {
  await using scene = await platform()
  const { patch, patchOwn } = scene
  const unknown = {
    statusMessage: 'Hi',
    ours: { deep: [null, { x: 1 }] },
    contact: { pager: 7 },
    security: { note: null },
  }
  expect((await patch({ settings: unknown })).body.settings).toEqual(unknown)
  await patchOwn({ settings: { statusMessage: 'Mine', other: 1, contact: { name: 'Ada', pager: 8 } } })
  expect(await settingsOf(scene)).toEqual({ ...unknown, contact: { pager: 7, name: 'Ada' } })
  await patch({ settings: { ours: { else: 1 } } })
  expect(await settingsOf(scene), 'an unknown key is one value').toMatchObject({
    ours: { else: 1 },
    statusMessage: 'Hi',
  })
})

test('simultaneous changes of different keys are all stored, on either route', async () => {
  await using scene = await platform(behindProxy)
  await Promise.all([
    scene.patch(list('203.0.113.9')),
    scene.patchOwn({ settings: { timezone: 'Europe/Berlin' } }),
    scene.patch({ settings: { contact: { phone: '1' } } }),
    scene.patchOwn({ settings: { contact: { name: 'Ada' } } }),
  ])
  expect(await settingsOf(scene)).toEqual({
    timezone: 'Europe/Berlin',
    contact: { name: 'Ada', phone: '1' },
    security: { ipAllowlist: ['203.0.113.9'] },
  })
})

test.each(routes)('%s refuses settings that would leave a user without a factor, and stores nothing', async (route) => {
  await using scene = await platform()
  const { app, admin } = scene
  const ann = await person(app, { email: 'ann@x.test', scope: 'partner', partnerId: admin.partnerId })
  const enrolled = { mfa_enabled: 1, mfa_method: 'totp', mfa_secret: 'sealed' } as const
  app.db.run(q.updateTable('users').set(enrolled).where('id', '=', ann.id))
  const before = (await scene.read()).body
  const { status, body } = await scene[route]({
    name: 'Other',
    settings: { security: { allowedMfaMethods: { totp: false } } },
  })
  expect([status, body]).toMatchObject([
    409,
    { code: 'mfa_policy_would_lock_out_users', error: expect.any(String), count: 1, countCapped: false },
  ])
  expect((await scene.read()).body).toEqual(before)
})

test('empty settings are accepted and change nothing', async () => {
  await using scene = await platform()
  for (const route of routes) expect((await scene[route]({ settings: {} })).body.settings).toEqual({})
})
