import { expect, test } from 'vitest'
import { createContact, listContacts } from '../../shared/api/contacts.ts'
import { archiveOrganization, restoreOrganization } from '../../shared/api/lifecycle.ts'
import { mergeOrganization, previewMerge } from '../../shared/api/organization-merge.ts'
import {
  deleteOrganization,
  readOrganization,
  replaceOrganization,
  updateOrganization,
} from '../../shared/api/organizations.ts'
import { createPsaConnection, listPsaConnections } from '../../shared/api/psa.ts'
import { createSite, deleteSite, listSites, readSite, updateSite } from '../../shared/api/sites.ts'
import { contents, showFactor } from '../contract/stage.ts'
import { bootstrapped, organizationOf, person, siteOf } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

/** Rules of the tenant tree that concern more than one feature. */

/** A company, its administrator and an operator, each with a second factor shown. */
async function scene() {
  const app = await testApp()
  const admin = await bootstrapped(app)
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  for (const id of [admin.userId, operator.id]) showFactor(app, id)
  return { app, admin, operator }
}

test('a member with selected organizations does not find another one and is denied its sites', async () => {
  const { app, admin } = await scene()
  await using _ = app
  const own = await organizationOf(app, admin.token, 'Own')
  const hidden = await organizationOf(app, admin.token, 'Hidden')
  const { id: siteId } = await siteOf(app, admin.token, hidden.id)
  const selected = { scope: 'partner', partnerId: admin.partnerId, orgAccess: 'selected' } as const
  const { id: userId, token } = await person(app, { email: 's@x.test', ...selected, orgIds: [own.id] })
  showFactor(app, userId)
  const [params, as] = [{ id: hidden.id }, { token }]
  const survivorId = own.id
  const before = await contents(app)
  for (const answer of [
    app.call(readOrganization, { params }, as),
    app.call(updateOrganization, { params, body: { name: 'Mine' } }, as),
    app.call(updateOrganization, { params, body: { status: 'offboarding' } }, as),
    app.call(replaceOrganization, { params, body: { name: 'Mine' } }, as),
    app.call(deleteOrganization, { params }, as),
    app.call(archiveOrganization, { params, body: {} }, as),
    app.call(restoreOrganization, { params }, as),
    app.call(previewMerge, { params, body: { survivorId } }, as),
    app.call(mergeOrganization, { params, body: { survivorId } }, as),
    app.call(listContacts, { params }, as),
    app.call(createContact, { params, body: { name: 'Kim' } }, as),
  ])
    expect(await answer).toMatchObject({ status: 404, body: { error: 'Organization not found' } })
  const site = { params: { id: siteId } }
  for (const answer of [
    app.call(readSite, site, as),
    app.call(updateSite, { ...site, body: { name: 'Mine' } }, as),
    app.call(deleteSite, site, as),
  ])
    expect(await answer).toMatchObject({ status: 403, body: { error: 'Access to this site denied' } })
  for (const answer of [
    app.call(listSites, { query: { orgId: hidden.id } }, as),
    app.call(createSite, { body: { orgId: hidden.id, name: 'Mine' } }, as),
  ])
    expect(await answer).toMatchObject({ status: 403, body: { error: 'Access to this organization denied' } })
  expect(await contents(app)).toEqual(before)
})

test('PUT starts a drain on the same conditions as PATCH', async () => {
  const { app, admin, operator } = await scene()
  await using _ = app
  const { id } = await organizationOf(app, admin.token)
  const put = (token: string, status: 'offboarding' | 'trial') =>
    app.call(replaceOrganization, { params: { id }, body: { status } }, { token })
  expect(await put(operator.token, 'offboarding')).toMatchObject({
    status: 403,
    body: { error: 'Insufficient permissions' },
  })
  app.db.statement('UPDATE sessions SET mfa_at = NULL, mfa_source = NULL').run()
  expect(await put(admin.token, 'offboarding')).toMatchObject({ status: 403, body: { code: 'MFA_REQUIRED' } })
  expect(await put(admin.token, 'trial')).toMatchObject({ status: 200, body: { status: 'trial' } })
  showFactor(app, admin.userId)
  expect(await put(admin.token, 'offboarding')).toMatchObject({ status: 200, body: { status: 'offboarding' } })
})

test('pages of connections with the same timestamp neither repeat nor skip', async () => {
  const { app, admin } = await scene()
  await using _ = app
  const [{ id: orgId }, as] = [await organizationOf(app, admin.token), { token: admin.token }]
  const wanted = { provider: 'freshservice', credentials: { baseUrl: 'https://desk.test', apiKey: 'key' } } as const
  for (let n = 0; n < 11; n++) await app.call(createPsaConnection, { body: { ...wanted, orgId, name: `${n}` } }, as)
  const seen: string[] = []
  for (const page of ['1', '2', '3']) {
    const { body } = await app.call(listPsaConnections, { query: { page, limit: '4' } }, as)
    expect(body.pagination).toEqual({ page: Number(page), limit: 4, total: 11 })
    seen.push(...body.data.map(({ id }) => id))
  }
  expect([seen.length, new Set(seen).size]).toEqual([11, 11])
})
