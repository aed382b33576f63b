import { expect, onTestFinished, test } from 'vitest'
import { createContact, listContacts } from '../../shared/api/contacts.ts'
import { archiveOrganization, restoreOrganization } from '../../shared/api/lifecycle.ts'
import { mergeOrganization, previewMerge } from '../../shared/api/organization-merge.ts'
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  listOrganizationTree,
  readOrganization,
  updateOrganization,
} from '../../shared/api/organizations.ts'
import { showFactor } from '../contract/stage.ts'
import { company, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import { statusAndError } from './group-kit.ts'

/** A member whose list of granted organizations wrongly names one of another company. */
async function mistaken() {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org } = await company(app)
  const second = await organizationOf(app, admin.token, 'Second')
  const other = await otherCompany(app)
  const { partnerId } = admin
  const orgIds = [org.id, second.id, other.org.id]
  const who = await person(app, { email: 's@x.test', scope: 'partner', partnerId, orgAccess: 'selected', orgIds })
  showFactor(app, who.id)
  return { app, org, other, options: { token: who.token } }
}

test('a granted organization of another company gives no access to it', async () => {
  const { app, org, other, options } = await mistaken()
  const params = { id: other.org.id }
  const before = app.rowCounts()
  const body = { survivorId: org.id }
  for (const refused of [
    app.call(readOrganization, { params }, options),
    app.call(updateOrganization, { params, body: { name: 'Mine' } }, options),
    app.call(deleteOrganization, { params }, options),
    app.call(archiveOrganization, { params, body: {} }, options),
    app.call(restoreOrganization, { params }, options),
    app.call(previewMerge, { params, body }, options),
    app.call(mergeOrganization, { params, body }, options),
    app.call(listContacts, { params }, options),
    app.call(createContact, { params, body: { name: 'Kim' } }, options),
  ])
    expect(statusAndError(await refused)).toEqual([404, 'Organization not found'])
  const taken = { params: { id: org.id }, body: { survivorId: other.org.id } }
  expect(statusAndError(await app.call(mergeOrganization, taken, options))).toEqual([
    404,
    'Surviving organization not found',
  ])
  for (const { body } of [
    await app.call(listOrganizationTree, {}, options),
    await app.call(listOrganizations, { query: { includeArchived: 'true' } }, options),
  ])
    expect(body.data.map(({ name }) => name).toSorted()).toEqual(['Berlin', 'Second'])
  expect(app.rowCounts()).toEqual(before)
})

test('an organization cannot be created in another company', async () => {
  const { app, other, options } = await mistaken()
  const body = { name: 'New', slug: 'new', partnerId: other.partnerId }
  expect(statusAndError(await app.call(createOrganization, { body }, options))).toEqual([
    403,
    'Access denied to this partner',
  ])
})
