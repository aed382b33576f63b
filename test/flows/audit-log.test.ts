import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { Actor } from '../../server/platform/actor.ts'
import { iso, minute } from '../../server/platform/clock.ts'
import {
  listAuditChains,
  listAuditEvents,
  listAuditLog,
  readAuditEvent,
  searchAuditLog,
} from '../../shared/api/audit-log.ts'
import { writer } from '../helpers/audit-writer.ts'
import {
  apiKeyOf,
  company,
  member,
  organizationOf,
  otherCompany,
  password,
  person,
  signIn,
  siteOf,
} from '../helpers/factories.ts'
import { deviceRowOf, setDevice, setOrganization } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { atLength } from '../helpers/thorough.ts'
import { bulk } from './audit-kit.ts'

let app: TestApp
let own: Awaited<ReturnType<typeof company>>
let other: Awaited<ReturnType<typeof otherCompany>>
beforeAll(async () => {
  app = await testApp()
  own = await company(app)
  other = await otherCompany(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const asAda = () => ({ token: own.admin.token })
const events = async (query: Record<string, string>, token = own.admin.token) => {
  const { status, body } = await app.call(listAuditEvents, { query }, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const names = async (query: Record<string, string>, token?: string) =>
  (await events(query, token)).data.map(({ resource }) => resource.name)
const origin = { ip: '10.1.2.3', userAgent: 'Firefox' }
const ada = (): Actor =>
  ({
    kind: 'user',
    userId: own.admin.userId,
    email: own.admin.email,
    partnerId: own.admin.partnerId,
    origin,
  }) as unknown as Actor

test('an event has the format of the public API', async () => {
  const write = writer(app, ada())
  write({
    action: 'device.update',
    resourceType: 'device',
    resourceId: own.device.deviceId,
    resourceName: 'shaped',
    orgId: own.org.id,
    details: { changedFields: ['tags'] },
  })
  const { body } = await app.call(listAuditLog, { query: { resource: 'shaped' } }, asAda())
  const common = {
    id: expect.any(String),
    timestamp: expect.any(String),
    action: 'device.update',
    ipAddress: '10.1.2.3',
    userAgent: 'Firefox',
    initiatedBy: 'manual',
  }
  expect(body).toEqual({
    entries: [
      {
        ...common,
        resource: 'shaped',
        resourceType: 'device',
        details: '{"changedFields":["tags"]}',
        sessionId: null,
        user: { name: 'Ada Admin', email: own.admin.email, role: 'user', department: '' },
        changes: { before: {}, after: { changedFields: ['tags'] } },
      },
    ],
    pagination: { page: 1, limit: 50, total: 1, totalPages: 1 },
  })
  const full = {
    ...common,
    orgId: own.org.id,
    orgName: 'Berlin',
    partnerId: own.admin.partnerId,
    user: { id: own.admin.userId, name: 'Ada Admin', email: own.admin.email, role: 'user' },
    resource: { type: 'device', id: own.device.deviceId, name: 'shaped' },
    category: 'device',
    result: 'success',
    details: { changedFields: ['tags'] },
  }
  const { data, pagination } = await events({ resource: 'shaped' })
  expect(data).toEqual([full])
  expect(pagination).toEqual(body.pagination)
  const one = await app.call(readAuditEvent, { params: { id: data[0]?.id ?? '' } }, asAda())
  expect([one.status, one.body]).toEqual([200, full])
})

test('a filter matches a part of a text in any case, and wildcards are literal', async () => {
  const write = writer(app, ada())
  const label = { resourceType: 'filtered', orgId: own.org.id }
  for (const resourceName of ['100% sure', '100 sure', 'under_score', 'underXscore', 'back\\slash'])
    write({ ...label, action: `test.${resourceName.length}`, resourceName })
  expect(await names({ resource: 'FILTER' })).toHaveLength(5)
  expect(await names({ resource: '100%' })).toEqual(['100% sure'])
  expect(await names({ resource: 'UNDER_SCORE' })).toEqual(['under_score'])
  expect(await names({ resource: 'k\\s' })).toEqual(['back\\slash'])
  expect(await names({ resource: '%' })).toEqual(['100% sure'])
  expect(await names({ resource: 'filtered', action: 'TEST.9' })).toEqual(['100% sure'])
  expect(await names({ resource: 'filtered', user: 'ADA@acme' })).toHaveLength(5)
  expect(await names({ resource: 'filtered', user: 'da adm' }), 'by name').toHaveLength(5)
  expect(await names({ resource: 'filtered', user: 'nobody' })).toEqual([])
  expect(await names({ resource: 'filtered', excludeActions: 'test.9, test.8' })).toHaveLength(3)
  expect(await names({ resource: 'filtered', excludeActions: 'test' }), 'whole names').toHaveLength(5)
  expect(await names({ resource: '  ', limit: '2' }), 'nothing to look for').toHaveLength(2)
})

test('a device or organization that was renamed is found by its present name, within reach only', async () => {
  const write = writer(app, ada())
  const { deviceId } = own.device
  const former = { action: 'test.renamed', resourceType: 'gadget', orgId: own.org.id }
  write({ ...former, resourceId: deviceId, resourceName: 'former-device' })
  write({ ...former, resourceId: own.org.id, resourceName: 'former-org' })
  const hostname = deviceRowOf(app, deviceId)?.hostname ?? ''
  setDevice(app, deviceId, { display_name: 'lab-1' })
  // A stranger's device of the same name, of which an event stands in this company's log.
  const stranger = other.device.deviceId
  setDevice(app, stranger, { display_name: 'lab-1' })
  write({ ...former, resourceId: stranger, resourceName: 'a stranger' })
  const found = async (resource: string) => await names({ resource, action: 'test.renamed' })
  expect(await found('LAB-1')).toEqual(['former-device'])
  expect(await found('lab-'), 'the whole name only').toEqual([])
  expect(await found(hostname)).toEqual(['former-device'])
  expect(await found(own.org.name.toUpperCase())).toEqual(['former-org'])
  setDevice(app, deviceId, { display_name: 'lab-2' })
  expect(await found('lab-1'), 'a cached result knows of the new name').toEqual([])
  setDevice(app, deviceId, { display_name: null })
})

test('a resource is found by its full id and by no part of it', async () => {
  const write = writer(app, ada())
  const device = { resourceType: 'gadget', resourceId: randomUUID(), orgId: own.org.id }
  for (const resourceName of ['old name', 'new name']) write({ ...device, resourceName })
  write({ ...device, resourceId: randomUUID(), resourceName: 'another' })
  expect((await names({ resource: device.resourceId })).toSorted()).toEqual(['new name', 'old name'])
  expect(await names({ resource: device.resourceId.slice(1) })).toEqual([])
})

test('a user who was renamed is found by the new name only', async () => {
  const bo = await member(app, { email: 'bo@acme.test', name: 'Bo', scope: 'partner', partnerId: own.admin.partnerId })
  await signIn(app, bo.email)
  const query = { user: 'Bo', action: 'user.login' }
  expect(await names(query)).toHaveLength(1)
  app.db.run(q.updateTable('users').set({ name: 'Cy' }).where('id', '=', bo.id))
  expect(await names({ ...query, user: 'Cy' })).toHaveLength(1)
  app.db.run(q.updateTable('users').set({ email: 'cy@acme.test' }).where('id', '=', bo.id))
  expect((await events({ action: 'user.login', user: 'cy' })).data[0]?.user.name).toBe('Cy')
})

test('from and to are inclusive, take any offset, and are named when invalid', async () => {
  const at = (minutes: number) => iso(Date.parse('2026-02-01T12:00:00.000Z') + minutes * minute)
  const write = writer(app)
  for (const minutes of [0, 1, 2, 3])
    write({ orgId: own.org.id, resourceType: 'timed', resourceName: `${minutes}`, timestamp: at(minutes) })
  const timed = (query: Record<string, string>) => names({ resource: 'timed', ...query })
  expect(await timed({ from: at(1), to: at(2) })).toEqual(['2', '1'])
  expect(await timed({ from: '2026-02-01T14:02:00+02:00' })).toEqual(['3', '2'])
  expect((await events({ from: at(0), to: at(3) })).pagination.total, 'without another filter').toBe(4)
  for (const [field, query] of [
    ['from', { from: 'yesterday' }],
    ['to', { to: '2026-02-30T00:00:00Z' }],
    ['to', { from: at(1), to: at(0) }],
    ['orgId', { orgId: 'Berlin' }],
  ] as const)
    for (const endpoint of [listAuditLog, listAuditEvents, searchAuditLog]) {
      const { status, body } = await app.call(endpoint, { query: { q: 'x', ...query } } as never, asAda())
      const { fieldErrors } = body.details as { fieldErrors: object }
      expect([status, Object.keys(fieldErrors)], endpoint.name).toEqual([400, [field]])
    }
})

test('pages follow each other, newest first, even when many events have the same timestamp', async () => {
  const write = writer(app)
  const timestamp = iso(app.clock.now())
  for (let n = 0; n < 7; n++) write({ orgId: own.org.id, resourceType: 'paged', resourceName: `${n}`, timestamp })
  app.clock.advance(1000)
  write({ orgId: own.org.id, resourceType: 'paged', resourceName: 'newest' })
  write({ orgId: own.org.id, resourceType: 'paged', resourceName: 'late', timestamp: '2020-01-01T00:00:00.000Z' })
  const seen: string[] = []
  const ids: string[] = []
  for (const page of ['1', '2', '3']) {
    const { data, pagination } = await events({ resource: 'paged', limit: '4', page })
    expect(pagination).toEqual({ page: Number(page), limit: 4, total: 9, totalPages: 3 })
    seen.push(...data.map(({ resource }) => resource.name))
    ids.push(...data.map(({ id }) => id))
  }
  expect(new Set(seen).size).toBe(9)
  const sharing = ids.slice(1, 8)
  expect(sharing, 'of one instant by id').toEqual(sharing.toSorted().toReversed())
  expect([seen[0], seen[8]]).toEqual(['newest', 'late'])
  const uncounted = await events({ resource: 'paged', limit: '4', page: '2', skipCount: 'true' })
  expect(uncounted.data.map(({ resource }) => resource.name)).toEqual(seen.slice(4, 8))
  expect(uncounted.pagination).toEqual({ page: 2, limit: 4, total: -1, totalPages: -1 })
  expect((await events({ resource: 'paged', page: '9' })).data).toEqual([])
  expect((await events({ page: 'x', limit: '1000' })).pagination).toMatchObject({ page: 1, limit: 100 })
})

test('a repeated search includes events written since', async () => {
  const write = writer(app)
  const rare = (resourceName: string) => write({ orgId: own.org.id, resourceType: 'rare', resourceName })
  rare('first')
  expect(await names({ resource: 'rare' })).toEqual(['first'])
  rare('second')
  for (const skipCount of ['false', 'true'])
    expect(await names({ resource: 'rare', skipCount })).toEqual(['second', 'first'])
  expect((await events({ resource: 'rare' })).pagination.total).toBe(2)
})

test('the count is right although an earlier page of the same search skipped it', async () => {
  const org = await organizationOf(app, own.admin.token, 'Crowd')
  bulk(app, org.id, 3000, 'plenty')
  const query = { resource: 'plenty', limit: '10' }
  expect(await names({ ...query, skipCount: 'true' })).toHaveLength(10)
  expect((await events(query)).pagination.total).toBe(3000)
})

atLength('many simultaneous searches of one caller do not delay those of others', async () => {
  await using busy = await testApp()
  const { admin, org } = await company(busy)
  bulk(busy, org.id, 20_000, 'crowded')
  const colleague = await person(busy, { email: 'bo@x.test', scope: 'partner', partnerId: admin.partnerId })
  const look = (action: string, caller: { token: string }) =>
    busy.call(listAuditLog, { query: { resource: 'crowded', excludeActions: action } }, caller)
  let done = 0
  const crowd = Array.from({ length: 20 }, async (_, n) => {
    const { body } = await look(`nothing-${n}`, admin)
    done++
    return body.pagination.total
  })
  expect((await look('nothing', colleague)).body.pagination.total).toBe(20_000)
  expect(done).toBeLessThan(10)
  expect(new Set(await Promise.all(crowd))).toEqual(new Set([20_000]))
})

test('an unfiltered list has the total number of events', async () => {
  const { pagination } = await events({ orgId: own.org.id, limit: '1' })
  const count = app.db.statement('SELECT count(*) FROM audit_logs WHERE org_id = ?').pluck()
  expect(pagination.total).toBe(count.get(own.org.id))
  expect((await events({ orgId: own.org.id, limit: '1' }, (await orgAdmin()).token)).pagination).toEqual(pagination)
})

let admin: Awaited<ReturnType<typeof person>> | null = null
const orgAdmin = async () => {
  admin ??= await person(app, { email: 'org@x.test', scope: 'organization', orgId: own.org.id })
  return admin
}

test('the search matches a part of an action, an address, and the type and name of a resource', async () => {
  const write = writer(app, ada())
  const event = { orgId: own.org.id, action: 'test.haystack', resourceType: 'haystack', resourceName: 'Haystack' }
  write({ ...event, action: 'test.nEEdling' })
  write({ ...event, resourceType: 'needling' })
  write({ ...event, resourceName: 'A needling' })
  const found = async (q: string) => (await app.call(searchAuditLog, { query: { q } }, asAda())).body.data
  expect(await found('needling')).toHaveLength(3)
  const byAddress = await found(own.admin.email.toUpperCase())
  expect(byAddress.map(({ action }) => action)).toEqual(expect.arrayContaining(['test.haystack', 'test.nEEdling']))
  writer(app, { ...ada(), origin: { ip: '10.9.8.7', userAgent: null } } as Actor)({ ...event, resourceName: 'Afar' })
  expect((await found('10.9.8.')).map(({ resource }) => resource.name)).toEqual(['Afar'])
})

test('refused actions are found by their result', async () => {
  const write = writer(app, ada())
  const event = { orgId: own.org.id, resourceType: 'outcome' }
  for (const result of ['success', 'failure', 'denied'] as const) write({ ...event, resourceName: result, result })
  for (const result of ['success', 'failure', 'denied'])
    expect(await names({ resource: 'outcome', result })).toEqual([result])
  const { status } = await app.call(listAuditEvents, { query: { result: 'odd' } } as never, asAda())
  expect(status).toBe(400)
})

test('events of an API key are found by its name and by the name that events show for it', async () => {
  const key = await apiKeyOf(app, own.admin.token, own.org.id)
  const actor = { ...ada(), email: null, apiKey: { id: key.id, name: key.name } } as unknown as Actor
  writer(app, actor)({ orgId: own.org.id, resourceType: 'keyed', resourceName: 'by key' })
  writer(app, ada())({ orgId: own.org.id, resourceType: 'keyed', resourceName: 'by hand' })
  const { data } = await events({ resource: 'keyed', user: 'backup SCRIPT' })
  expect(data.map(({ resource }) => resource.name)).toEqual(['by key'])
  expect(await names({ resource: 'keyed', user: data[0]?.user.name ?? '' })).toEqual(['by key'])
})

test('the search covers details, and the answer repeats the search text', async () => {
  writer(app)({ orgId: own.org.id, details: { note: 'Needle 50% in hay' } })
  const search = (query: { q?: string }) => app.call(searchAuditLog, { query } as never, asAda())
  const { status, body } = await search({ q: 'needle 50%' })
  expect([status, body.query, body.data.length]).toEqual([200, 'needle 50%', 1])
  expect(body.data[0]?.details).toEqual({ note: 'Needle 50% in hay' })
  expect((await search({ q: 'needle 50_' })).body.data).toEqual([])
  for (const query of [{}, { q: '' }, { q: '  ' }]) {
    const refused = await search(query)
    expect([refused.status, Object.keys((refused.body.details as { fieldErrors: object }).fieldErrors)]).toEqual([
      400,
      ['q'],
    ])
  }
})

test('an organization of another company is refused with 403, and an event of it with 404', async () => {
  for (const endpoint of [listAuditLog, listAuditEvents, searchAuditLog]) {
    const { status, body } = await app.call(endpoint, { query: { q: 'x', orgId: other.org.id } } as never, asAda())
    expect([status, body.code], endpoint.name).toEqual([403, 'org_access_denied'])
  }
  const [foreign] = (await events({}, other.admin.token)).data
  const { status, body } = await app.call(readAuditEvent, { params: { id: foreign?.id ?? '' } }, asAda())
  expect([status, body.error]).toEqual([404, 'Audit log not found'])
})

test("partner.create and a partner user's user.login are visible to that partner's auditor", async () => {
  await signIn(app, own.admin.email, password)
  const actions = async (token?: string) =>
    new Set((await events({ limit: '100' }, token)).data.map(({ action }) => action))
  expect([...(await actions())]).toEqual(expect.arrayContaining(['partner.create', 'user.login']))
  expect([...(await actions((await orgAdmin()).token))]).not.toContain('partner.create')
})

test('a member with selected organizations sees events of those only', async () => {
  const { token: ada, partnerId } = own.admin
  const ids: string[] = []
  for (let n = 0; n < 21; n++) ids.push((await organizationOf(app, ada, `Mine ${n}`)).id)
  const [mine] = ids
  writer(app)({ orgId: own.org.id, resourceType: 'sight', resourceName: 'theirs' })
  writer(app)({ orgId: mine ?? '', resourceType: 'sight', resourceName: 'mine' })
  writer(app)({ partnerId, resourceType: 'sight', resourceName: "the company's" })
  const count = app.db.statement(
    'SELECT count(*) FROM audit_logs WHERE partner_id = ? AND (org_id IS NULL OR org_id IN (SELECT value FROM json_each(?)))',
  )
  for (const orgIds of [ids.slice(0, 1), ids]) {
    const who = { scope: 'partner', partnerId, orgAccess: 'selected' } as const
    const { token } = await person(app, { email: `sees-${orgIds.length}@x.test`, ...who, orgIds })
    expect(await names({ resource: 'sight' }, token)).toEqual(["the company's", 'mine'])
    const { pagination } = await events({ limit: '1' }, token)
    expect(pagination.total).toBe(count.pluck().get(partnerId, JSON.stringify(orgIds)))
    const { data, summary } = (await app.call(listAuditChains, { query: { limit: '100' } }, { token })).body
    expect([data.length, summary.chains]).toEqual([orgIds.length + 1, orgIds.length + 1])
  }
  setOrganization(app, mine ?? '', { status: 'archived' })
  expect(await names({ resource: 'sight' }), 'what is archived is out of sight').toEqual(["the company's", 'theirs'])
})

test('a user confined to sites sees all events, but without device details from other sites', async () => {
  const elsewhere = await siteOf(app, own.admin.token, own.org.id, 'Elsewhere')
  const confined = (email: string, siteIds: string[]) =>
    person(app, { email, scope: 'organization', orgId: own.org.id, siteIds })
  const here = await confined('here@x.test', [own.site.id])
  const there = await confined('there@x.test', [elsewhere.id])
  const inOrg = { scope: 'organization', orgId: own.org.id } as const
  const grouped = await person(app, { email: 'grouped@x.test', ...inOrg, deviceGroupIds: [randomUUID()] })
  const device = { kind: 'device', deviceId: own.device.deviceId, orgId: own.org.id, origin } as unknown as Actor
  writer(app, device)({ orgId: own.org.id, resourceName: 'by a device', action: 'agent.source.ip.changed' })
  const query = { resource: 'by a device' }
  for (const { token } of [here, there]) expect(await names(query, token)).toHaveLength(1)
  const [event] = (await events(query)).data
  const read = async (caller: { token: string }) =>
    (await app.call(readAuditEvent, { params: { id: event?.id ?? '' } }, caller)).status
  expect([await read(asAda()), await read(here), await read(there)]).toEqual([200, 200, 403])
  expect(await read(grouped), 'nor of other groups').toBe(403)
  const companyOf = app.db.statement('SELECT partner_id FROM audit_logs WHERE id = ?').pluck()
  expect(companyOf.get(event?.id), 'a user of any company').toBe(own.admin.partnerId)
  expect(event).toMatchObject({ user: { name: 'Agent (pc-1)', role: 'agent' }, category: 'system' })
  setDevice(app, own.device.deviceId, { display_name: 'Reception', site_id: elsewhere.id })
  expect([await read(here), await read(there)]).toEqual([403, 200])
  expect((await events(query)).data[0]?.user.name).toBe('Agent (Reception)')
})

test.each([
  ['user.login.failed', 'authentication'],
  ['user.logout', 'authentication'],
  ['user.permission.change', 'authentication'],
  ['user.update', 'system'],
  ['device.update', 'device'],
  ['device_group.create', 'system'],
  ['script.run', 'automation'],
  ['policy.update', 'policy'],
  ['automation.policy.evaluate', 'policy'],
  ['alert.resolve', 'alert'],
  ['data.export', 'compliance'],
  ['organization.update', 'organization'],
])('the action %s has the category %s', async (action, category) => {
  writer(app)({ orgId: own.org.id, resourceType: 'categories', action })
  expect((await events({ resource: 'categories', action })).data[0]).toMatchObject({ action, category })
})

test.each([
  [
    'a user without a name',
    { kind: 'person', userId: 'gone', email: 'gone@x.test', partnerId: null, origin },
    'gone@x.test',
  ],
  [
    'an API key',
    { kind: 'user', userId: 'u', email: 'ada@x.test', apiKey: { id: '12345678-9abc-4def-8000-000000000000' }, origin },
    'API Key 12345678',
  ],
  ['a device that is gone', { kind: 'device', deviceId: 'gone', origin }, 'Agent'],
  ['the appliance', { kind: 'system', task: 'test' }, 'System'],
])('an event by %s names its actor', async (what, actor, name) => {
  writer(app, actor as never)({ orgId: own.org.id, resourceType: 'named', resourceName: what })
  expect((await events({ resource: what })).data[0]?.user.name).toBe(name)
})

test('details never contain a code, a token or a password', async () => {
  const secret = { password: 'hush', nested: [{ accessToken: 'hush', code: 'hush' }] }
  writer(app)({ orgId: own.org.id, resourceName: 'secretive', details: { login: secret } })
  const { body } = await app.call(listAuditLog, { query: { resource: 'secretive' } }, asAda())
  expect(body.entries).toHaveLength(1)
  expect(JSON.stringify(body)).not.toContain('hush')
})
