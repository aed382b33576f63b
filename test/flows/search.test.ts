import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { decommissionDevice, updateDevice } from '../../shared/api/devices.ts'
import { search } from '../../shared/api/search.ts'
import type { ReplyOf } from '../../shared/endpoint.ts'
import type { Permission } from '../../shared/permissions.ts'
import { regrant } from '../contract/stage.ts'
import {
  apiKeyOf,
  bootstrapped,
  company,
  enrolledDevice,
  holdings,
  member,
  organizationOf,
  otherCompany,
  person,
  siteOf,
} from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { setDevice, setOrganization } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { addContact } from './merge-kit.ts'

type Found = ReplyOf<typeof search>
const nothing: Found = { devices: [], organizations: [], sites: [], people: [], contacts: [] }

const searching =
  (app: TestApp, token: string) =>
  async (text: string, limit?: string): Promise<Found> => {
    const query = { q: text, ...(limit && { limit }) }
    const { status, body } = await app.call(search, { query }, { token })
    expect(status, text).toBe(200)
    return body
  }

const names = (rows: readonly { name: string | null }[]) => rows.map(({ name }) => name)

/** A device that has reported what there is to find it by. */
async function reported(app: TestApp) {
  const made = await company(app)
  const agent = fakeDevice(app, made.device)
  await agent.beat({ lastUser: 'ACME\\nora' }, { remoteAddress: '198.51.100.23' })
  await app.app.telemetry.flush()
  await agent.request('PUT', 'hardware', { serialNumber: 'PF-4X9Q2', manufacturer: 'LENOVO', model: '21HD004RGE' })
  const first = { interfaceName: 'eth0', ipType: 'ipv4', macAddress: '02:42:AC:11:00:02' }
  const adapters = [
    { ...first, ipAddress: '10.20.30.40', isPrimary: true },
    { ...first, ipAddress: '192.0.2.7', macAddress: 'D8-F2-CA-7E-90-1B', isPrimary: false },
  ]
  await agent.request('PUT', 'network', { adapters })
  const body = { displayName: 'Front desk', tags: ['Kiosk'] }
  await app.call(updateDevice, { params: { id: made.device.deviceId }, body }, { token: made.admin.token })
  return made
}

test('a device is found by each of its values, and the answer says by which', async () => {
  await using app = await testApp()
  const { admin, device, org, site } = await reported(app)
  const found = searching(app, admin.token)
  const row = {
    id: device.deviceId,
    name: 'Front desk',
    hostname: 'pc-1',
    status: 'online',
    osType: 'linux',
    orgName: org.name,
    siteName: site.name,
  }
  for (const [text, matched] of [
    ['front d', null],
    ['DESK', null],
    ['pc-1', { field: 'hostname', value: 'pc-1' }],
    ['pf-4x9q2', { field: 'serialNumber', value: 'PF-4X9Q2' }],
    ['9q', { field: 'serialNumber', value: 'PF-4X9Q2' }],
    ['0242ac110002', { field: 'macAddress', value: '02:42:AC:11:00:02' }],
    ['d8:f2:ca', { field: 'macAddress', value: 'D8-F2-CA-7E-90-1B' }],
    ['d8f2.ca7e.901b', { field: 'macAddress', value: 'D8-F2-CA-7E-90-1B' }],
    ['10.20.30.40', { field: 'ipAddress', value: '10.20.30.40' }],
    ['192.0', { field: 'ipAddress', value: '192.0.2.7' }],
    ['198.51.100.23', { field: 'ipAddress', value: '198.51.100.23' }],
    ['acme\\nora', { field: 'lastUser', value: 'ACME\\nora' }],
    ['kiosk', { field: 'tag', value: 'Kiosk' }],
    ['21hd', { field: 'model', value: '21HD004RGE' }],
    ['lenovo', { field: 'manufacturer', value: 'LENOVO' }],
  ] as const)
    expect((await found(text)).devices, text).toEqual([{ ...row, matched }])
  expect(await found('pf-4x9q3')).toEqual(nothing)
  expect(await found('%')).toEqual(nothing)
})

test('organizations, sites, people and contacts are found by name, people and contacts also by email', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  const nordlicht = await organizationOf(app, admin.token, 'Nordlicht')
  const site = await siteOf(app, admin.token, nordlicht.id, 'Nordhafen')
  const ben = await member(app, {
    name: 'Ben Nord',
    email: 'ben@acme.test',
    scope: 'partner',
    partnerId: admin.partnerId,
  })
  const mia = await member(app, {
    name: 'Mia',
    email: 'mia@nordlicht.test',
    scope: 'organization',
    orgId: nordlicht.id,
  })
  const cleo = addContact(app, nordlicht.id, { name: 'Cleo Nordmann' })
  const desk = addContact(app, org.id, { name: null, email: 'nord@desk.test' })
  const found = searching(app, admin.token)
  const of = { orgId: nordlicht.id, orgName: 'Nordlicht' }
  expect(await found('NORD')).toEqual({
    devices: [],
    organizations: [{ id: nordlicht.id, name: 'Nordlicht', slug: nordlicht.slug, status: 'active' }],
    sites: [{ id: site.id, name: 'Nordhafen', ...of }],
    people: [
      { ...ben, name: 'Ben Nord', partnerId: admin.partnerId, orgId: null, orgName: null },
      { ...mia, name: 'Mia', partnerId: admin.partnerId, ...of },
    ],
    contacts: [
      { id: desk, name: null, email: 'nord@desk.test', orgId: org.id, orgName: org.name },
      { id: cleo, name: 'Cleo Nordmann', email: null, ...of },
    ],
  })
  expect((await found('hafen')).sites).toHaveLength(1)
  expect((await found('licht')).organizations).toHaveLength(1)
  expect((await found('mia@')).people).toMatchObject([mia])
})

test('what is called just so comes first, then what begins with the text, then the rest, and as many as asked for', async () => {
  await using app = await testApp()
  const { admin, key } = await company(app)
  for (const name of ['web-10', 'dev-web-1', 'web-1', 'WEB-11', 'x', 'aweb-1']) await enrolledDevice(app, key.key, name)
  const tenth = await enrolledDevice(app, key.key, 'zz')
  setDevice(app, tenth.deviceId, { last_user: 'web-1' })
  const tagged = await enrolledDevice(app, key.key, 'yy')
  setDevice(app, tagged.deviceId, { last_user: 'web-1 admin' })
  for (const name of ['Web-1 Ltd', 'Old web-1', 'Web-1', 'Äweb-1', 'äweb-1 two'])
    await organizationOf(app, admin.token, name)
  const found = searching(app, admin.token)
  const all = await found('web-1', '10')
  expect(names(all.devices)).toEqual(['web-1', 'web-10', 'WEB-11', 'zz', 'dev-web-1', 'aweb-1', 'yy'])
  expect(names(all.organizations)).toEqual(['Web-1', 'Web-1 Ltd', 'Old web-1', 'Äweb-1', 'äweb-1 two'])
  expect(names((await found('ÄWEB-1')).organizations)).toEqual(['Äweb-1', 'äweb-1 two'])
  expect(await found('web-1', '10')).toEqual(all)
  expect(names((await found('web-1', '2')).devices)).toEqual(['web-1', 'web-10'])
  expect((await found('web')).devices).toHaveLength(5)
  expect((await found('web', '99')).devices, 'never more than ten').toHaveLength(7)
})

test('one letter and two find what begins with them, and what has them anywhere', async () => {
  await using app = await testApp()
  const { admin, key } = await company(app)
  for (const name of ['qube', 'max-q', 'other']) await enrolledDevice(app, key.key, name)
  await organizationOf(app, admin.token, 'Quelle')
  await organizationOf(app, admin.token, '東京')
  const found = searching(app, admin.token)
  expect(names((await found('q')).devices)).toEqual(['qube', 'max-q'])
  expect(names((await found('-Q')).devices)).toEqual(['max-q'])
  expect(names((await found('q')).organizations)).toEqual(['Quelle'])
  expect(names((await found('京')).organizations)).toEqual(['東京'])
  expect((await found('ß')).devices).toEqual([])
})

test('of thousands the best are found: by names, by other values, and what nobody has', async () => {
  await using app = await testApp()
  const { admin, org, site } = await company(app)
  const insert = app.db.statement(
    `INSERT INTO devices (id, org_id, site_id, agent_id, hostname, last_user, os_type, status, created_at, updated_at)
     VALUES (@id, '${org.id}', '${site.id}', @id, @hostname, @user, 'linux', 'online', '', '')`,
  )
  const users: Record<number, string> = { 4321: 'ost-1', 4444: 'the ost-host' }
  app.db.transaction(() => {
    for (let n = 0; n < 5000; n++)
      insert.run({ id: randomUUIDv7(), hostname: `host-${n}`, user: users[n] ?? `t-host-${n % 7}` })
  })
  const found = searching(app, admin.token)
  const beginning = ['host-499', ...[...'012345678'].map((digit) => `host-499${digit}`)]
  expect(names((await found('host-499', '10')).devices)).toEqual(beginning)
  const many = (await found('ost-', '3')).devices
  expect(names(many).every((name) => name?.startsWith('host-'))).toBe(true)
  expect(many).toHaveLength(3)
  expect((await found('ost-1', '3')).devices[0], 'a whole value before parts of names').toMatchObject({
    name: 'host-4321',
    matched: { field: 'lastUser', value: 'ost-1' },
  })
  const common = await found('t-host-3', '2')
  expect(common.devices).toMatchObject(Array(2).fill({ matched: { field: 'lastUser', value: 't-host-3' } }))
  expect(await found('t-host-3', '2'), 'each time the same').toEqual(common)
  const everywhere = (await found('ost-host')).devices
  expect(names(everywhere), 'whose trigrams nearly all have').toEqual(['host-4444'])
  expect((await found('t-host-t-h')).devices).toEqual([])
})

test('the rows of another company are never found', async () => {
  await using app = await testApp()
  const { org } = await reported(app)
  addContact(app, org.id, { name: 'Cleo' })
  const stranger = await otherCompany(app)
  const found = searching(app, stranger.admin.token)
  for (const text of [
    'pc-1',
    'Front desk',
    'pf-4x9q2',
    '0242ac110002',
    'kiosk',
    'Berlin',
    'HQ',
    'Ada',
    'Cleo',
    'c',
    'a',
  ]) {
    const { devices, organizations, sites, people, contacts } = await found(text)
    expect(
      devices.filter(({ hostname }) => hostname !== 'umbrella-pc'),
      text,
    ).toEqual([])
    expect(
      organizations.filter(({ id }) => id !== stranger.org.id),
      text,
    ).toEqual([])
    expect(
      sites.filter(({ orgId }) => orgId !== stranger.org.id),
      text,
    ).toEqual([])
    expect(
      people.filter(({ partnerId }) => partnerId !== stranger.partnerId),
      text,
    ).toEqual([])
    expect(contacts, text).toEqual([])
  }
  expect((await found('umbrella')).devices).toHaveLength(1)
})

test('a kind is searched for callers who may list it, and for no others', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  await member(app, { name: 'c', email: 'c@acme.test', scope: 'partner', partnerId: admin.partnerId })
  addContact(app, org.id, { name: 'c' })
  const role = { name: 'Partner Viewer', scope: 'partner' }
  const { token } = await person(app, {
    email: 'v@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    role: role.name,
  })
  const kinds = async (...permissions: Permission[]) => {
    regrant(app, role, permissions)
    const found = await searching(app, token)('c')
    return Object.entries(found).flatMap(([kind, rows]) => (rows.length > 0 ? [kind] : []))
  }
  setOrganization(app, org.id, { name: 'c' })
  await siteOf(app, admin.token, org.id, 'c')
  expect(await kinds('devices:read')).toEqual(['devices'])
  expect(await kinds('organizations:read')).toEqual(['organizations', 'contacts'])
  expect(await kinds('sites:read')).toEqual(['sites'])
  expect(await kinds('users:read')).toEqual(['people'])
  expect(await kinds('audit:read')).toEqual([])
})

test('users find what is within their own organizations, sites and groups', async () => {
  await using app = await testApp()
  const { admin, org, key } = await company(app)
  const branch = await siteOf(app, admin.token, org.id, 'HQ branch')
  const far = await enrolledDevice(app, key.key, 'pc-2')
  setDevice(app, far.deviceId, { site_id: branch.id })
  const other = await holdings(app, admin.token, 'Berlin East', 'pc-3')
  await member(app, { name: 'Pia', email: 'pia@east.test', scope: 'organization', orgId: other.org.id })
  const atBranch = addContact(app, org.id, { name: 'Pc doctor', site_id: branch.id })
  addContact(app, org.id, { name: 'Pc nurse', site_id: key.siteId })
  addContact(app, other.org.id, { name: 'Pc nurse' })

  regrant(app, { name: 'Org Admin', scope: 'organization' }, [
    'devices:read',
    'sites:read',
    'users:read',
    'organizations:read',
  ])
  const confined = await person(app, { email: 'p@x.test', scope: 'organization', orgId: org.id, siteIds: [branch.id] })
  const atOneSite = searching(app, confined.token)
  expect(names((await atOneSite('pc')).devices)).toEqual(['pc-2'])
  expect((await atOneSite('pc')).contacts).toMatchObject([{ id: atBranch }])
  expect(names((await atOneSite('hq')).sites)).toEqual(['HQ branch'])
  expect((await atOneSite('berlin')).organizations, 'which they cannot list').toEqual([])
  expect(names((await atOneSite('p')).people)).toEqual(['p@x.test'])

  const grouped = await person(app, {
    email: 'g@x.test',
    scope: 'organization',
    orgId: org.id,
    deviceGroupIds: [randomUUIDv7()],
  })
  expect((await searching(app, grouped.token)('pc')).devices).toEqual([])

  const selected = await person(app, {
    email: 's@x.test',
    scope: 'partner',
    partnerId: admin.partnerId,
    orgAccess: 'selected',
    orgIds: [other.org.id],
  })
  const some = searching(app, selected.token)
  expect(names((await some('pc')).devices)).toEqual(['pc-3'])
  expect(names((await some('berlin')).organizations)).toEqual(['Berlin East'])
  expect((await some('p')).people, 'the people of a company are for those who see all of it').toEqual([])
})

test('an operator finds what every company has, and whose it is', async () => {
  await using app = await testApp()
  const { admin } = await company(app)
  const stranger = await otherCompany(app)
  const { token } = await person(app, { email: 'operator@box.test', scope: 'system' })
  const found = searching(app, token)
  expect(names((await found('pc')).devices)).toEqual(['pc-1', 'umbrella-pc'])
  expect((await found('ad')).people.map(({ partnerId }) => partnerId)).toEqual([admin.partnerId, stranger.partnerId])
  expect((await found('operator')).people, 'who is a member of nothing').toEqual([])
  app.db.run(
    q.updateTable('partners').set({ deleted_at: '2026-01-01T00:00:00.000Z' }).where('id', '=', stranger.partnerId),
  )
  expect((await found('ad')).people.map(({ partnerId }) => partnerId)).toEqual([admin.partnerId])
})

test('an invited person is found as the inviter called them', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  const stranger = await otherCompany(app)
  const guest = await member(app, {
    name: 'Real Name',
    email: 'guest@x.test',
    scope: 'organization',
    orgId: stranger.org.id,
  })
  const id = randomUUIDv7()
  const role = app.db.statement(`SELECT id FROM roles WHERE name = 'Org Viewer'`).pluck().get() as string
  app.db.run(
    q.insertInto('invitations').values({
      id,
      user_id: guest.id,
      partner_id: admin.partnerId,
      org_id: org.id,
      role_id: role,
      email: 'guest@x.test',
      name: 'Entered',
      inviter_name: 'Ada',
      expires_at: '2999-01-01T00:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    }),
  )
  const found = searching(app, admin.token)
  expect((await found('enter')).people).toMatchObject([{ id, name: 'Entered', orgId: org.id }])
  expect((await found('guest@x')).people).toMatchObject([{ id, name: 'Entered' }])
  expect((await found('real')).people).toEqual([])
})

test('archived organizations and what they have are hidden', async () => {
  await using app = await testApp()
  const { admin, org } = await company(app)
  addContact(app, org.id, { name: 'Berlin Cleo' })
  await siteOf(app, admin.token, org.id, 'Berlin Mitte')
  await member(app, { name: 'Berlin Ben', email: 'b@x.test', scope: 'organization', orgId: org.id })
  const found = searching(app, admin.token)
  const count = ({ organizations, sites, people, contacts }: Found) =>
    [organizations, sites, people, contacts].map(({ length }) => length)
  expect(count(await found('berlin'))).toEqual([1, 1, 1, 1])
  setOrganization(app, org.id, { status: 'archived', archived_at: '2026-01-01T00:00:00.000Z' })
  expect(await found('berlin')).toEqual(nothing)
  expect((await found('pc-1')).devices).toEqual([])
})

test('a decommissioned device is found after those in use, marked by its status', async () => {
  await using app = await testApp()
  const { admin, key, device } = await reported(app)
  const old = await enrolledDevice(app, key.key, 'front-1')
  for (const { deviceId: id } of [device, old])
    await app.call(decommissionDevice, { params: { id } }, { token: admin.token })
  for (const name of ['front-2', 'my-front', 'front-10']) await enrolledDevice(app, key.key, name)
  const found = searching(app, admin.token)
  expect((await found('front')).devices.map(({ name, status }) => [name, status])).toEqual([
    ['front-10', 'online'],
    ['front-2', 'online'],
    ['my-front', 'online'],
    ['Front desk', 'decommissioned'],
    ['front-1', 'decommissioned'],
  ])
  expect(names((await found('front', '2')).devices)).toEqual(['front-10', 'front-2'])
  expect(names((await found('FRONT-1', '1')).devices), 'unless it is called just so').toEqual(['front-1'])
  expect((await found('pf-4x9q2')).devices).toMatchObject([
    { status: 'decommissioned', matched: { field: 'serialNumber' } },
  ])
})

test('a search without a text, or with too long a one, names the field', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  for (const query of ['', '?q=', '?q=%20%20', `?q=${'x'.repeat(101)}`]) {
    const answer = await app.inject({
      url: `/api/v1/search${query}`,
      headers: { authorization: `Bearer ${token}` },
    })
    expect([answer.statusCode, answer.json().details], query).toMatchObject([
      400,
      { fieldErrors: { q: [expect.any(String)] } },
    ])
  }
})

test('an API key, a device and a stranger cannot search', async () => {
  await using app = await testApp()
  const { admin, org, device } = await company(app)
  const { key } = await apiKeyOf(app, admin.token, org.id)
  const url = '/api/v1/search?q=pc'
  expect((await app.inject({ url, headers: { 'x-api-key': key } })).statusCode).toBe(401)
  expect((await app.inject({ url, headers: { authorization: `Bearer ${device.authToken}` } })).statusCode).toBe(401)
  expect((await app.inject({ url })).statusCode).toBe(401)
})
