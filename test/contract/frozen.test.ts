import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { OrganizationRow } from '../../server/features/organization-access/index.ts'
import { isoNow, minute } from '../../server/platform/clock.ts'
import { importContacts } from '../../shared/api/contact-import.ts'
import { exportDevices } from '../../shared/api/devices.ts'
import { purgeExpiredEnrollmentKeys } from '../../shared/api/enrollment-keys.ts'
import { mergeOrganization } from '../../shared/api/organization-merge.ts'
import { resetUserMfa, updateUser } from '../../shared/api/people.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { enrollmentKeyOf, member, organizationOf, person } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { bodyOf, forUsers, type Ids, idFieldsOf, isOfPlatform, paramsOf, send } from './kit.ts'
import { contents, roleOf, showFactor, twoCompanies, withoutLimits } from './stage.ts'

/**
 * An organization that is archived, being merged away or purged is read-only, with everything in it. Users who reach it
 * get the reason, others get no hint. Every endpoint is walked.
 */

type Status = OrganizationRow['status']

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
] as const
/** Names in place of ids, so that the parameters of a path show what they stand for. */
const kinds = new Proxy({} as Ids, { get: (_, kind) => kind })
const kindsIn = (endpoint: Endpoint): string[] => [
  ...Object.values(paramsOf(endpoint, kinds)),
  ...idFieldsOf(endpoint.body).map(({ kind }) => kind),
]
const isOfOthers = (kind: string) => (ofOthers as readonly string[]).includes(kind)
const isOfOrganization = (endpoint: Endpoint) => kindsIn(endpoint).some((kind) => !isOfOthers(kind))
const writes = forUsers.filter(
  (endpoint) =>
    endpoint.audit !== null &&
    // An account belongs to no organization.
    endpoint !== updateUser &&
    // A read that is recorded.
    endpoint !== exportDevices &&
    !isOfPlatform(endpoint) &&
    (isOfOrganization(endpoint) || endpoint === importContacts),
)
const isOpenTo = ({ access }: Endpoint, scope: 'system' | 'partner') =>
  access.who === 'user' && access.scopes.includes(scope)

/** Endpoints that lead out of a frozen status, or have refusals of their own for it. */
const otherwise: Record<string, number[]> = {
  // Restores what is archived, and says that it is too late for what is being purged.
  'organizations.restore': [409, 410],
  // §8.2: its own list of reasons.
  'organizations.merge': [400],
  // §7.2: the row is answered with `org-not-found`, the others of the file are taken.
  'contacts.import': [200],
}

/** Records, kept in any status that is not frozen; everything else is work with devices and takes a live organization. */
const records =
  /^(organizations|sites|contacts|sso|users(?!\.invite|\.resend)|roles)\.|^(enrollment-keys\.delete|api-keys\.revoke|devices\.delete-permanently|backup-snapshots\.delete-device|backup-quotas\.set)$|^backup-snapshots\..*-(legal-hold|immutability)$/

const isAboutPeople = ({ name }: Endpoint) => /^(users|roles)\./.test(name)
/** Also because managing people takes access to the whole company. */
const isBarred = (endpoint: Endpoint, who: string) =>
  !isOpenTo(endpoint, who === 'operator' ? 'system' : 'partner') || (who === 'granted' && isAboutPeople(endpoint))

async function scene(app: TestApp) {
  const { own, operator, ids } = await twoCompanies(app)
  const { partnerId } = own.admin
  const sibling = await organizationOf(app, own.admin.token, 'Sibling')
  const selected = (email: string, ...orgIds: string[]) =>
    person(app, { email, scope: 'partner', partnerId, orgAccess: 'selected', orgIds })
  const granted = await selected('granted@x.test', own.org.id, sibling.id)
  const ungranted = await selected('ungranted@x.test', sibling.id)
  const user = await member(app, { email: 'member@x.test', scope: 'organization', orgId: own.org.id })
  for (const { id } of [granted, ungranted, user]) showFactor(app, id)
  const walked = { ...ids, user: user.id, role: await roleOf(app, own.admin.token, own.org.id) }
  // These bodies need more than the ids of the walk.
  const more = new Map<Endpoint, object>([
    [mergeOrganization, { survivorId: sibling.id }],
    [importContacts, { partnerId }],
  ])
  return {
    org: own.org,
    admin: own.admin.token,
    user: user.id,
    tokens: { operator: operator.token, admin: own.admin.token, granted: granted.token },
    ungranted: ungranted.token,
    ask: (endpoint: Endpoint, token: string) =>
      send(app, endpoint, {
        params: paramsOf(endpoint, walked),
        ...(isAboutPeople(endpoint) && { query: { ownerScope: 'organization', orgId: own.org.id } }),
        body: { ...(bodyOf(endpoint, walked) as object | undefined), ...more.get(endpoint) },
        token,
      }),
  }
}

const successes = (app: TestApp) =>
  app.db.statement("SELECT count(*) FROM audit_logs WHERE result = 'success'").pluck().get() as number

test('every exception belongs to an endpoint of the walk', () => {
  expect(writes.length).toBeGreaterThan(30)
  for (const name of Object.keys(otherwise)) expect(writes.map((write) => write.name)).toContain(name)
})

test.each<Status>(['archived', 'merging', 'purging'])(
  'a write to an organization that is %s, or to anything in it, is 409 ORG_LIFECYCLE_FROZEN',
  async (status) => {
    await using app = await testApp({ env: withoutLimits })
    const { org, tokens, ask } = await scene(app)
    setOrganization(app, org.id, { status })
    const before = await contents(app)
    for (const endpoint of writes)
      for (const [who, token] of Object.entries(tokens)) {
        if (endpoint.name === 'organizations.restore' && status === 'archived') continue
        const { status: code, body, text } = await ask(endpoint, token)
        const asked = `${endpoint.name} as ${who}: ${text}`
        if (isBarred(endpoint, who)) expect(code, asked).toBe(403)
        else if (otherwise[endpoint.name]) expect(otherwise[endpoint.name], asked).toContain(code)
        else expect([code, body.code, body.currentStatus], asked).toEqual([409, 'ORG_LIFECYCLE_FROZEN', status])
      }
    expect(await contents(app)).toEqual(before)
  },
)

test.each<Status>(['archived', 'merging', 'purging', 'suspended', 'active'])(
  'a user without access to an organization that is %s gets 403 or 404, without its status',
  async (status) => {
    await using app = await testApp({ env: withoutLimits })
    const { org, ungranted, ask } = await scene(app)
    setOrganization(app, org.id, { status })
    const before = await contents(app)
    for (const endpoint of writes.filter((write) => write !== importContacts)) {
      const { status: code, text } = await ask(endpoint, ungranted)
      expect([403, 404], `${endpoint.name}: ${text}`).toContain(code)
      expect(text, endpoint.name).not.toContain('currentStatus')
    }
    expect(await contents(app)).toEqual(before)
  },
)

test.each<Status>(['offboarding', 'suspended', 'churned'])(
  'an organization that is %s accepts changes of records and refuses work with devices',
  async (status) => {
    await using app = await testApp({ env: withoutLimits })
    const { org, tokens, admin, ask } = await scene(app)
    setOrganization(app, org.id, { status })
    const before = await contents(app)
    const operational = writes.filter(({ name }) => !records.test(name))
    for (const endpoint of operational)
      for (const [who, token] of Object.entries(tokens)) {
        const { status: code, body, text } = await ask(endpoint, token)
        const asked = `${endpoint.name} as ${who}: ${text}`
        if (isBarred(endpoint, who)) expect(code, asked).toBe(403)
        else if (body.code === 'ORG_SUSPENDED') expect([code, status], asked).toEqual([403, 'suspended'])
        else expect([code, body.code, body.currentStatus], asked).toEqual([409, 'ORG_NOT_OPERABLE', status])
      }
    expect(await contents(app)).toEqual(before)

    const since = successes(app)
    // A merge would go on with the organization after its answer.
    for (const endpoint of writes.filter((write) => records.test(write.name) && write !== mergeOrganization)) {
      setOrganization(app, org.id, { status, deleted_at: null })
      const { body, text } = await ask(endpoint, admin)
      expect(['ORG_NOT_OPERABLE', 'ORG_LIFECYCLE_FROZEN'], `${endpoint.name}: ${text}`).not.toContain(body?.code)
    }
    expect(successes(app)).toBeGreaterThan(since)
    expect(auditOf(app, 'organization.update').length).toBeGreaterThan(0)
  },
)

test('purging expired enrollment keys leaves out a frozen organization', async () => {
  await using app = await testApp({ env: withoutLimits })
  const { org, admin, tokens } = await scene(app)
  const live = await organizationOf(app, admin, 'Live')
  for (const orgId of [org.id, live.id]) await enrollmentKeyOf(app, admin, { orgId, ttlMinutes: 1 })
  app.clock.advance(2 * minute)
  setOrganization(app, org.id, { status: 'merging' })
  for (const token of Object.values(tokens)) await app.call(purgeExpiredEnrollmentKeys, {}, { token })
  const left = app.db.all(q.selectFrom('enrollment_keys').select('org_id').where('expires_at', '<', isoNow(app.clock)))
  expect(left).toEqual([{ org_id: org.id }])
})

test('resetting the factor of a user who belongs to a frozen organization only is a 409', async () => {
  await using app = await testApp({ env: withoutLimits })
  const { org, admin, user } = await scene(app)
  const live = await organizationOf(app, admin, 'Live')
  const reset = () => app.call(resetUserMfa, { params: { id: user }, query: { ownerScope: 'all' } }, { token: admin })
  setOrganization(app, org.id, { status: 'archived' })
  expect(await reset()).toMatchObject({
    status: 409,
    body: { code: 'ORG_LIFECYCLE_FROZEN', currentStatus: 'archived' },
  })
  const membership = app.db.first(q.selectFrom('organization_users').selectAll().where('user_id', '=', user))
  if (!membership) throw new Error('no member')
  app.db.run(q.insertInto('organization_users').values({ ...membership, id: crypto.randomUUID(), org_id: live.id }))
  expect((await reset()).status).toBe(200)
})
