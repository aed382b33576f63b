import { expect, test } from 'vitest'
import { isoNow } from '../../server/platform/clock.ts'
import { importContacts, previewContactImport } from '../../shared/api/contact-import.ts'
import { mergeOrganization, previewMerge } from '../../shared/api/organization-merge.ts'
import { updateUser } from '../../shared/api/people.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { member, organizationOf } from '../helpers/factories.ts'
import { setOrganization } from '../helpers/rows.ts'
import { testApp } from '../helpers/test-app.ts'
import { bodyOf, forUsers, type Ids, isOfPlatform, isStream, paramsOf, send } from './kit.ts'
import { contents, roleOf, twoCompanies, withoutLimits } from './stage.ts'

/** A deleted organization and everything in it is not found, by any caller and any endpoint. */

/** Names in place of ids, so that the parameters of a path show what they stand for. */
const kinds = new Proxy({} as Ids, { get: (_, kind) => kind })
const ofOthers = [
  'partner',
  'bareCompany',
  'staffProvider',
  'passkey',
  'identity',
  'session',
  'membership',
  'invitation',
  'unwanted',
  'mail',
  'task',
  // Both outlive the organization.
  'mergeRun',
  'event',
]
const isInside = (kind: string) => !ofOthers.includes(kind)
const inPath = forUsers.filter(
  (endpoint) =>
    !isOfPlatform(endpoint) &&
    !isStream(endpoint) &&
    // An account belongs to no organization.
    endpoint !== updateUser &&
    Object.values(paramsOf(endpoint, kinds)).some(isInside),
)
const isOpenTo = ({ access }: Endpoint, scope: 'system' | 'partner') =>
  access.who === 'user' && access.scopes.includes(scope)
const isAboutPeople = ({ name }: Endpoint) => /^(users|roles)\./.test(name)

async function scene() {
  const app = await testApp({ env: withoutLimits })
  const { own, operator, ids } = await twoCompanies(app)
  const { token } = own.admin
  const sibling = await organizationOf(app, token, 'Sibling')
  const user = await member(app, { email: 'member@x.test', scope: 'organization', orgId: own.org.id })
  const walked = { ...ids, user: user.id, role: await roleOf(app, token, own.org.id) }
  setOrganization(app, own.org.id, { deleted_at: isoNow(app.clock) })
  const isMerge = (endpoint: Endpoint) => endpoint === mergeOrganization || endpoint === previewMerge
  return {
    app,
    org: own.org,
    callers: [
      ['partner', token],
      ['system', operator.token],
    ] as const,
    bodyFor: (endpoint: Endpoint) => {
      const body = bodyOf(endpoint, walked) as object | undefined
      return body && { ...body, ...(isMerge(endpoint) && { survivorId: sibling.id }) }
    },
    paramsFor: (endpoint: Endpoint) => paramsOf(endpoint, walked),
  }
}

test('calls about a deleted organization, or anything in it, are 404 (403 for sites) and change nothing', async () => {
  const { app, org, callers, bodyFor, paramsFor } = await scene()
  await using _ = app
  expect(inPath.length).toBeGreaterThan(60)
  const before = await contents(app)
  for (const endpoint of inPath)
    for (const [scope, token] of callers) {
      const asked = { params: paramsFor(endpoint), body: bodyFor(endpoint), token }
      const query = { ownerScope: 'organization', orgId: org.id }
      const { status, text } = await send(app, endpoint, { ...asked, ...(isAboutPeople(endpoint) && { query }) })
      // The specification says 403 for sites.
      const refusal = endpoint.path.startsWith('/orgs/sites') || !isOpenTo(endpoint, scope) ? 403 : 404
      expect(status, `${endpoint.name} as ${scope}: ${text}`).toBe(refusal)
    }
  expect(await contents(app)).toEqual(before)
})

test('contact rows that name a deleted organization are not imported and get org-not-found', async () => {
  const { app, org, callers } = await scene()
  await using _ = app
  const [[, token]] = callers
  const rows = [{ name: 'Kim', organizationId: org.id }]
  const preview = await app.call(previewContactImport, { body: { rows } }, { token })
  expect(preview.body.rows).toMatchObject([{ annotation: 'org-not-found' }])
  const { body } = await app.call(importContacts, { body: { rows } }, { token })
  expect([body.imported, body.errors.length]).toEqual([[], 1])
})
