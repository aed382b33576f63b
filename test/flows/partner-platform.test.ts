import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { openSecrets } from '../../server/platform/secrets.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { removePartner, updatePartner } from '../../shared/api/partners.ts'
import { person } from '../helpers/factories.ts'
import { auditOf, setPartner } from '../helpers/rows.ts'
import { answer, platform } from './partner-kit.ts'

const slugInUse = [409, 'That partner identifier is already in use']
const notFound = [404, 'Partner not found']

test('a partner can be created with only a name and a slug, and is active at once', async () => {
  await using scene = await platform()
  const { app, operator, create, read } = scene
  const { status, body } = await create({ name: ' Umbrella ', slug: 'umbrella' })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      name: 'Umbrella',
      slug: 'umbrella',
      type: 'msp',
      plan: 'free',
      status: 'active',
      maxOrganizations: null,
      maxDevices: null,
      settings: {},
      billingEmail: null,
      serviceManagementMode: 'native',
      serviceManagementPsaConnectionId: null,
      timezone: 'UTC',
      inboundLocalPart: null,
      emailSignature: null,
      currencyCode: 'USD',
      offboardingStartedAt: null,
      createdAt: '2026-03-01T09:00:00.000Z',
      updatedAt: '2026-03-01T09:00:00.000Z',
    },
  ])
  expect((await read(body.id)).body).toEqual(body)
  expect(auditOf(app, 'partner.create').at(-1)).toMatchObject({
    actor_id: operator.id,
    resource_id: body.id,
    partner_id: body.id,
    org_id: null,
    details: { slug: 'umbrella', type: 'msp', plan: 'free' },
  })
})

test('every field of a new partner is stored', async () => {
  await using scene = await platform()
  const wanted = {
    name: 'Umbrella',
    slug: 'Umbrella.Corp_1~x-',
    type: 'enterprise',
    plan: 'unlimited',
    maxOrganizations: 0,
    maxDevices: 7,
    billingEmail: 'Pay@Umbrella.test',
    serviceManagementMode: 'off',
    settings: { timezone: 'Europe/Berlin', contact: { name: 'Wesker' }, statusMessage: 'Hello' },
  }
  expect((await scene.create(wanted)).body).toMatchObject({
    ...wanted,
    billingEmail: 'pay@umbrella.test',
    timezone: 'Europe/Berlin',
  })
})

test('the SSO configuration is stored sealed, and no answer contains it or the deletion date', async () => {
  await using scene = await platform()
  const { app, create, patch, list, read } = scene
  const ssoConfig = { issuer: 'https://id.umbrella.test', clientSecret: 's3cret-of-umbrella' }
  const made = await create({ name: 'Umbrella', slug: 'umbrella', ssoConfig })
  const { id } = made.body
  const sealed = () =>
    app.db.first(q.selectFrom('partners').select('sso_config').where('id', '=', id))?.sso_config as string
  const opened = () =>
    JSON.parse(openSecrets(app.dataDir, app.config.secrets).decrypt(sealed(), `partner_sso_config:${id}`))
  expect(sealed()).not.toContain('umbrella')
  expect(opened()).toEqual(ssoConfig)
  const patched = await patch({ ssoConfig: { issuer: 'x' } }, id)
  expect(opened()).toEqual({ issuer: 'x' })
  const answers = [made, await read(id), await list(), patched, await patch({ ssoConfig: null }, id)]
  for (const { body } of answers) expect(JSON.stringify(body)).not.toMatch(/ssoConfig|deletedAt|s3cret/)
  expect(sealed()).toBe(null)
  for (const wrong of ['x', 7, []]) expect((await patch({ ssoConfig: wrong }, id)).status).toBe(400)
  expect(JSON.stringify(auditOf(app, 'partner.update'))).not.toContain('issuer')
})

test('a slug is one label of letters, digits and a few signs', async () => {
  await using scene = await platform()
  for (const slug of ['', ' ', 'a b', '-a', '.a', 'a/b', 'ä', 'a'.repeat(101), null, 7]) {
    expect((await scene.create({ name: 'Umbrella', slug })).status, `${slug}`).toBe(400)
    expect((await scene.patch({ slug })).status, `${slug}`).toBe(400)
  }
  expect((await scene.list()).body).toMatchObject({ data: [{ slug: 'acme' }], pagination: { total: 1 } })
})

test('a slug is taken regardless of case, by a local part, and by a deleted partner', async () => {
  await using scene = await platform()
  const { app, admin, create, patch, remove, read } = scene
  const { id } = (await create({ name: 'Umbrella', slug: 'Umbrella' })).body
  expect(answer(await create({ name: 'Other', slug: 'uMBRELLA' }))).toEqual(slugInUse)
  setPartner(app, admin.partnerId, { inbound_local_part: 'help' })
  expect(answer(await create({ name: 'Other', slug: 'Help' }))).toEqual(slugInUse)
  expect(answer(await patch({ slug: 'HELP' }, id))).toEqual(slugInUse)
  expect(answer(await patch({ slug: 'ACME', name: 'Moved' }, id))).toEqual(slugInUse)
  expect((await read(id)).body).toMatchObject({ slug: 'Umbrella', name: 'Umbrella' })
  expect((await patch({ slug: 'umbrella' }, id)).body.slug, 'its own in another case').toBe('umbrella')
  expect((await patch({ slug: 'help' })).body.slug, 'its own local part').toBe('help')

  expect([(await remove(id)).body, answer(await remove(id))]).toEqual([{ success: true }, notFound])
  expect(answer(await create({ name: 'Again', slug: 'Umbrella' }))).toEqual(slugInUse)
  setPartner(app, admin.partnerId, { slug: 'acme', deleted_at: '2026-03-01T09:00:00.000Z' })
  expect((await create({ name: 'Help', slug: 'help' })).status, 'a local part goes with its partner').toBe(201)
})

test('a deleted partner is not found, and its members are signed out', async () => {
  await using scene = await platform()
  const { app, admin, operator, list, read, patch, remove, readOwn } = scene
  expect((await remove()).status).toBe(200)
  expect([answer(await read()), answer(await patch({ name: 'x' }))]).toEqual([notFound, notFound])
  expect((await list()).body).toMatchObject({ data: [], pagination: { total: 0 } })
  expect([401, 403]).toContain((await readOwn()).status)
  expect(auditOf(app, 'partner.delete')).toMatchObject([
    { actor_id: operator.id, resource_id: admin.partnerId, org_id: null, details: {} },
  ])
  const row = app.db.first(q.selectFrom('partners').selectAll().where('id', '=', admin.partnerId))
  expect(row).toMatchObject({ status: 'churned', deleted_at: '2026-03-01T09:00:00.000Z' })
})

test('an unknown or invalid partner id answers 404', async () => {
  await using scene = await platform()
  for (const id of ['nonsense', randomUUID(), ' ', `${scene.admin.partnerId}x`])
    for (const call of [scene.read(id), scene.patch({ name: 'x' }, id), scene.remove(id)])
      expect(answer(await call), id).toEqual(notFound)
})

test('pages of partners with the same timestamp show each once and in one order', async () => {
  await using scene = await platform()
  const { app, admin, list } = scene
  const moment = '2026-03-01T09:00:00.000Z'
  const ids = Array.from({ length: 130 }, () => randomUUID())
  for (const id of ids)
    app.db.run(q.insertInto('partners').values({ id, name: 'Twin', slug: id, created_at: moment, updated_at: moment }))
  setPartner(app, ids[0] as string, { deleted_at: moment })
  const seen: string[] = []
  for (const page of ['1', '2', '3', '4']) {
    const { body } = await list({ page, limit: '40' })
    expect(body.pagination).toEqual({ page: Number(page), limit: 40, total: 130 })
    seen.push(...body.data.map(({ id }) => id))
  }
  expect(seen).toEqual([admin.partnerId, ...ids.slice(1)].toSorted())
  expect((await list()).body.data).toHaveLength(50)
  for (const [query, pagination] of [
    [
      { page: '0', limit: '0' },
      { page: 1, limit: 1 },
    ],
    [
      { page: 'x', limit: 'x' },
      { page: 1, limit: 50 },
    ],
    [
      { page: '9', limit: '999' },
      { page: 9, limit: 100 },
    ],
  ] as const)
    expect((await list(query)).body.pagination).toMatchObject(pagination)
})

test('every field can be changed, and the audit event names the fields', async () => {
  await using scene = await platform()
  const { app, admin, operator, patch } = scene
  const wanted = {
    name: 'Acme Two',
    slug: 'acme-two',
    type: 'internal',
    plan: 'pro',
    maxOrganizations: 3,
    maxDevices: 0,
    billingEmail: 'pay@acme.test',
  }
  expect((await patch(wanted)).body).toMatchObject(wanted)
  const cleared = { maxOrganizations: null, maxDevices: null, billingEmail: null }
  expect((await patch(cleared)).body).toMatchObject({ ...wanted, ...cleared })
  expect(auditOf(app, 'partner.update')).toMatchObject([
    {
      actor_id: operator.id,
      partner_id: admin.partnerId,
      org_id: null,
      details: { changedFields: Object.keys(wanted), before: { name: 'Acme', maxDevices: null }, after: wanted },
    },
    { details: { changedFields: Object.keys(cleared), after: cleared } },
  ])
  for (const wrong of [
    { type: 'x' },
    { plan: null },
    { status: 'deleted' },
    { maxDevices: -1 },
    { maxOrganizations: 1.5 },
    { billingEmail: 'x' },
    { name: '' },
    { settings: null },
    { settings: [] },
  ])
    expect((await patch(wrong)).status, JSON.stringify(wrong)).toBe(400)
})

test('a change without known fields answers 400', async () => {
  await using scene = await platform()
  for (const body of [{}, { id: randomUUID(), deletedAt: null, emailSignature: 'x', currencyCode: 'EUR' }])
    expect(answer(await scene.patch(body))).toEqual([400, 'No updates provided'])
  for (const body of [{}, { status: 'active' }])
    expect(answer(await scene.patchOwn(body))).toEqual([400, 'No updates provided'])
  expect(auditOf(scene.app, 'partner.update')).toEqual([])
})

test('only changes need a second factor', async () => {
  await using scene = await platform()
  const { app, create, admin } = scene
  const { token } = await person(app, { email: 'plain@platform.test', scope: 'system' })
  const { status, body } = await app.call(
    updatePartner,
    { params: { id: admin.partnerId }, body: { name: 'x' } },
    { token },
  )
  expect([status, body.code]).toEqual([403, 'MFA_REQUIRED'])
  const { id } = (await create({ name: 'Umbrella', slug: 'umbrella' })).body
  expect((await app.call(removePartner, { params: { id } }, { token })).status).toBe(200)
})

test('an inactive partner refuses its members with its status and message', async () => {
  await using scene = await platform()
  const { app, patch, readOwn } = scene
  const settings = { statusMessage: 'Pay first', statusActionUrl: 'https://pay.test', statusActionLabel: 'Pay' }
  const changed = await patch({ status: 'pending', settings })
  expect([changed.status, changed.body.status]).toEqual([200, 'pending'])
  expect((await readOwn()).body).toMatchObject({
    error: 'Account inactive',
    code: 'PARTNER_INACTIVE',
    status: 'pending',
    message: 'Pay first',
    actionUrl: 'https://pay.test',
    actionLabel: 'Pay',
  })
  expect((await patch({ status: 'active' })).body.status).toBe('active')
  expect((await readOwn()).status).toBe(200)
  expect(auditOf(app, 'partner.update').map(({ details }) => details)).toMatchObject([
    { changedFields: ['settings', 'status'], fromStatus: 'active', toStatus: 'pending' },
    { changedFields: ['status'], fromStatus: 'pending', toStatus: 'active' },
  ])
})

test.each(['offboarding', 'suspended', 'churned'])('a partner becomes %s and active again', async (status) => {
  await using scene = await platform()
  expect((await scene.patch({ status })).body.status).toBe(status)
  expect((await scene.patch({ status: 'active' })).body).toMatchObject({ status: 'active', offboardingStartedAt: null })
})

test('a new partner can have organizations at once', async () => {
  await using scene = await platform()
  const { app, operator, create } = scene
  const { id } = (await create({ name: 'Umbrella', slug: 'umbrella' })).body
  const body = { name: 'One', slug: 'one', partnerId: id }
  const made = await app.call(createOrganization, { body }, { token: operator.token })
  expect([made.status, made.body.partnerId]).toEqual([201, id])
})
