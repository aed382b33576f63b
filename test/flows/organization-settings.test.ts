import { expect, test } from 'vitest'
import { toJson } from '../../server/lib/json.ts'
import { omnipotent } from '../contract/stage.ts'
import { organizationOf, otherCompany } from '../helpers/factories.ts'
import { auditOf, setOrganization, setPartner } from '../helpers/rows.ts'
import { companyScene, organizationsAs, setStatus } from './organization-kit.ts'

test('settings are replaced as a whole', async () => {
  const { app, create, update } = await companyScene()
  await using _ = app
  const { body } = await create({ name: 'A', slug: 'a', settings: { a: 1, b: 2 } })
  expect((await update(body.id, { settings: { b: 3 } })).body.settings).toEqual({ b: 3 })
  expect((await update(body.id, { settings: null })).body.settings).toEqual({})
})

test('lifecycle fields are neither written nor read through the settings', async () => {
  const { app, create, update, read } = await companyScene()
  await using _ = app
  const inner = {
    archivePriorStatus: 'suspended',
    archivePurgeWarn14SentAt: 'x',
    archivePurgeWarn1SentAt: 'x',
    purgingRecoveryAttempts: 3,
    mergePriorStatus: 'suspended',
  }
  const { body } = await create({ name: 'A', slug: 'a', settings: { ...inner, kept: 1 } })
  expect(body.settings).toEqual({ kept: 1 })
  expect((await update(body.id, { settings: { ...inner, kept: 2 } })).body.settings).toEqual({ kept: 2 })
  expect(app.db.statement('SELECT settings, archive_prior_status FROM organizations').get()).toEqual({
    settings: '{"kept":2}',
    archive_prior_status: null,
  })
  setOrganization(app, body.id, { settings: toJson({ ...inner, kept: 4 }) })
  expect((await read(body.id)).body.settings).toEqual({ kept: 4 })
})

const groups = ['security', 'notifications', 'eventLogs', 'defaults', 'branding'] as const
const settled = {
  security: { requireMfa: true },
  notifications: { mail: { daily: true } },
  eventLogs: { days: 30 },
  defaults: { timezone: 'UTC' },
  branding: { color: '#fff' },
  free: { a: 1 },
}
const changed = {
  security: { requireMfa: false },
  notifications: { mail: { daily: false } },
  eventLogs: { days: 31 },
  defaults: { timezone: null },
  branding: { color: '' },
}

test('an organization may repeat a setting of its company but not change it', async () => {
  const { app, admin, create, update, read } = await companyScene()
  await using _ = app
  const { body: org } = await create({ name: 'A', slug: 'a' })
  const { security: _security, ...unsigned } = settled
  setPartner(app, admin.partnerId, { settings: toJson(unsigned) })
  expect((await update(org.id, { settings: { ...unsigned, free: { a: 2 } } })).status).toBe(200)
  const before = (await read(org.id)).body
  for (const group of groups.slice(1)) {
    const [field] = Object.keys(changed[group])
    const settings = { [group]: { own: 1, ...changed[group] } }
    for (const refused of [await update(org.id, { settings }), await create({ name: 'B', slug: 'b', settings })])
      expect(refused).toMatchObject({ status: 403, body: { locked: [`${group}.${field}`] } })
    expect((await update(org.id, { settings })).body.error).toContain(`${group}.${field}`)
  }
  expect((await read(org.id)).body).toEqual(before)
  const { notifications, eventLogs } = changed
  expect((await update(org.id, { settings: { notifications, eventLogs } })).body.locked).toEqual([
    'notifications.mail',
    'eventLogs.days',
  ])
  expect((await update(org.id, { settings: { notifications: { own: 1 } } })).status).toBe(200)
  expect(auditOf(app, 'organization.update')).toHaveLength(2)
})

test('the effective settings are those of the company, completed with those of the organization', async () => {
  const { app, admin, create, effective } = await companyScene()
  await using _ = app
  const { body: org } = await create({
    name: 'A',
    slug: 'a',
    settings: { security: { minLength: 20 }, branding: { color: 'red', logo: 'x' }, free: 1 },
  })
  setPartner(app, admin.partnerId, {
    settings: toJson({ security: { allowedMfaMethods: { sms: false } }, branding: { color: '#fff' }, free: 2 }),
  })
  const { status, body } = await effective(org.id)
  expect([status, body]).toEqual([
    200,
    {
      effective: {
        security: { minLength: 20, allowedMfaMethods: { sms: false }, allowedMethods: { sms: false } },
        notifications: {},
        eventLogs: {},
        defaults: {},
        branding: { color: '#fff', logo: 'x' },
      },
      locked: ['security.allowedMfaMethods', 'branding.color'],
    },
  ])
  setStatus(app, org.id, 'purging')
  expect((await effective(org.id)).status).toBe(404)
})

test('members of an organization see its effective settings', async () => {
  const { app, admin, create } = await companyScene()
  await using _ = app
  const { body: own } = await create({ name: 'A', slug: 'a' })
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const other = await otherCompany(app)
  const { token } = await omnipotent(app, { email: 'o@x.test', scope: 'organization', orgId: own.id })
  const { effective } = organizationsAs(app, token)
  expect((await effective(own.id)).status).toBe(200)
  for (const id of [sibling.id, other.org.id, 'x'])
    expect(await effective(id)).toMatchObject({ status: 403, body: { error: 'Access denied' } })
})
