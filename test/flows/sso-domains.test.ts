import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { minute } from '../../server/platform/clock.ts'
import { addSsoDomain, deleteSsoDomain, listSsoDomains, verifySsoDomain } from '../../shared/api/sso-domains.ts'
import { dnsServer } from '../helpers/dns-server.ts'
import { organizationOf, otherCompany } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { type Answer, testApp } from '../helpers/test-app.ts'
import { statusAndError } from './group-kit.ts'
import { grantDirectly } from './role-kit.ts'
import { providerScene, storedState } from './sso-provider-kit.ts'

/** Domains that organizations verify, with a real DNS server. */

async function scene(env: Record<string, string> = {}) {
  const dns = await dnsServer()
  const found = await providerScene({ ...dns.env, ...env })
  const { app, admin, org } = found
  const by = (token: string) => ({
    list: (query: { orgId?: string } = { orgId: org.id }) => app.call(listSsoDomains, { query }, { token }),
    add: (domain: string, orgId: string | undefined = org.id) =>
      app.call(addSsoDomain, { body: { domain, ...(orgId && { orgId }) } }, { token }),
    verify: (id: string) => app.call(verifySsoDomain, { params: { id } }, { token }),
    remove: (id: string) => app.call(deleteSsoDomain, { params: { id } }, { token }),
  })
  return {
    ...found,
    dns,
    by,
    ...by(admin.token),
    /** Adds a domain and publishes its record in DNS. */
    async published(domain: string) {
      const { data } = (await by(admin.token).add(domain)).body
      dns.set(data.recordName, data.recordValue)
      return data
    },
    async [Symbol.asyncDispose]() {
      await found[Symbol.asyncDispose]()
      await dns[Symbol.asyncDispose]()
    },
  }
}

const refusal = async (answer: Promise<Answer<object>>) => statusAndError((await answer) as never)

test('a domain is added, verified by its record, and removed', async () => {
  await using all = await scene()
  const { app, dns, org, admin, list, add, verify, remove } = all
  const made = await add('https://Corp.example/sign-in')
  expect([made.status, made.body.data]).toEqual([
    201,
    {
      id: expect.any(String),
      domain: 'corp.example',
      verified: false,
      recordName: '_svc-verify.corp.example',
      recordValue: expect.stringMatching(/^svc-domain-verify=[0-9a-f]{48}$/),
    },
  ])
  const { id, recordName, recordValue } = made.body.data
  expect((await add('corp.example.')).body).toEqual(made.body)
  expect((await verify(id)).body.data).toEqual({ verified: false, reason: 'txt_not_found' })
  expect(dns.asked).toEqual([recordName])
  const now = () => new Date(app.clock.now()).toISOString()
  expect((await list()).body.data).toEqual([
    { ...made.body.data, verifiedAt: null, lastCheckedAt: now(), createdAt: expect.any(String) },
  ])
  for (const wrong of [`${recordValue}0`, recordValue.toUpperCase(), recordValue.slice(18)]) {
    dns.set(recordName, wrong)
    expect((await verify(id)).body.data.verified, wrong).toBe(false)
  }
  // A record of the parent domain does not count either.
  dns.set('_svc-verify.example', recordValue)
  dns.set('corp.example', recordValue)
  expect((await verify(id)).body.data.verified).toBe(false)
  app.clock.advance(1000)
  dns.set(recordName, 'something else', recordValue)
  expect((await verify(id)).body.data).toEqual({ verified: true })
  expect((await list()).body.data[0]).toMatchObject({ verified: true, verifiedAt: now(), lastCheckedAt: now() })
  expect((await remove(id)).body.data).toEqual({ deleted: true })
  expect((await list()).body.data).toEqual([])
  expect(auditOf(app, 'sso.domain.create')).toMatchObject([
    { org_id: org.id, actor_id: admin.userId, resource_name: 'corp.example', details: { domain: 'corp.example' } },
  ])
  const verifications = auditOf(app, 'sso.domain.verify').map(({ details }) => details.verified)
  expect(verifications).toEqual([false, false, false, false, false, true])
  expect(auditOf(app, 'sso.domain.delete')).toMatchObject([{ details: { domain: 'corp.example', verified: true } }])
})

test('a verified domain stays verified whatever DNS says later, and a record may come in chunks', async () => {
  await using all = await scene()
  const { app, dns, add, verify, list } = all
  const { id, recordName, recordValue } = (await add('müller.example')).body.data
  expect(recordName).toBe('_svc-verify.xn--mller-kva.example')
  dns.set(recordName, [recordValue.slice(0, 10), recordValue.slice(10)])
  expect((await verify(id)).body.data).toEqual({ verified: true })
  const [before] = (await list()).body.data
  dns.set(recordName)
  app.clock.advance(minute)
  expect((await verify(id)).body.data).toEqual({ verified: true })
  await app.app.jobs.runNow('sso.check-domains')
  const [after] = (await list()).body.data
  expect(after).toMatchObject({ verified: true, verifiedAt: before?.verifiedAt })
  expect(after?.lastCheckedAt).not.toBe(before?.lastCheckedAt)
})

test('every day all domains are checked again: new records verify a domain, and none is lost', async () => {
  await using all = await scene()
  const { app, dns, org, admin, published, add, verify, list } = all
  const proven = await published('proven.example')
  await verify(proven.id)
  dns.set(proven.recordName)
  await published('late.example')
  await add('never.example')
  const frozen = await organizationOf(app, admin.token, 'Frozen')
  const { body } = await add('late.example', frozen.id)
  dns.set(body.data.recordName, body.data.recordValue)
  setOrganization(app, frozen.id, { status: 'archived' })
  app.clock.advance(minute)
  const run = await app.app.jobs.runNow('sso.check-domains')
  expect(run.lastOutcome).toBe('success')
  const verified = (await list({ orgId: org.id })).body.data.map((one) => [one.domain, one.verified])
  expect(verified).toEqual([
    ['late.example', false],
    ['never.example', false],
    ['proven.example', true],
  ])
  const untouched = app.db.first(q.selectFrom('sso_verified_domains').selectAll().where('org_id', '=', frozen.id))
  expect(untouched).toMatchObject({ verified_at: null, last_checked_at: null })
  const late = (await add('late.example')).body.data
  dns.set(late.recordName, late.recordValue)
  await app.app.jobs.runNow('sso.check-domains')
  expect((await list()).body.data.map((one) => one.verified)).toEqual([true, false, true])
  const byAppliance = auditOf(app, 'sso.domain.verify').filter((event) => event.actor_type === 'system')
  expect(byAppliance).toMatchObject([{ org_id: org.id, resource_name: 'late.example', details: { verified: true } }])
})

test('two organizations may verify the same domain, each by a record of its own', async () => {
  await using all = await scene()
  const { app, dns, admin, published, verify, add } = all
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const mine = await published('shared.example')
  const theirs = (await add('shared.example', sibling.id)).body.data
  expect(theirs.recordValue).not.toBe(mine.recordValue)
  expect((await verify(theirs.id)).body.data.verified).toBe(false)
  dns.set(mine.recordName, mine.recordValue, theirs.recordValue)
  for (const { id } of [mine, theirs]) expect((await verify(id)).body.data.verified).toBe(true)
})

test('ten simultaneous additions of one domain make one record', async () => {
  await using all = await scene()
  const answers = await Promise.all(Array.from({ length: 10 }, () => all.add('corp.example')))
  expect(new Set(answers.map(({ body }) => body.data.recordValue)).size).toBe(1)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(auditOf(all.app, 'sso.domain.create')).toHaveLength(1)
})

test('an organization can add a hundred domains and no more', async () => {
  await using all = await scene()
  for (let n = 0; n < 100; n++) expect((await all.add(`d${n}.example`)).status).toBe(201)
  const before = storedState(all.app)
  expect((await all.add('d100.example')).body.error).toBe('domain: An organization names at most 100')
  expect((await all.add('d7.example')).status).toBe(201)
  expect(storedState(all.app)).toEqual(before)
})

test('an invalid domain is refused, and verification is limited to ten a minute', async () => {
  await using all = await scene()
  const { app, dns, add, verify } = all
  const { id } = (await add('corp.example')).body.data
  const before = storedState(app)
  for (const domain of ['localhost', '10.0.0.1', 'user@corp.example', 'corp_x.example', 'x'.repeat(253)])
    expect(await refusal(add(domain))).toEqual([400, `Invalid domain: ${domain.slice(0, 100)}`])
  for (const domain of ['', ' ', 'x'.repeat(254)]) expect((await add(domain)).body.code).toBe('validation_failed')
  expect(storedState(app)).toEqual(before)
  await Promise.all(Array.from({ length: 10 }, () => verify(id)))
  const [status] = await refusal(verify(id))
  expect([status, dns.asked.length]).toEqual([429, 10])
})

test('a domain removed during the DNS look-up is not verified', async () => {
  await using all = await scene()
  const { app, dns, published, verify, remove } = all
  const { id } = await published('corp.example')
  dns.first = () => remove(id)
  expect((await verify(id)).body.data).toEqual({ verified: false, reason: 'not_found' })
  expect(auditOf(app, 'sso.domain.verify')).toEqual([])
})

test('domains are visible to members with access to their organization', async () => {
  await using all = await scene()
  const { app, org, admin, by, somebody, add } = all
  const { id } = (await add('corp.example')).body.data
  const orgAdmin = findBuiltInRole(app.db, 'Org Admin', 'organization') as string
  grantDirectly(app, orgAdmin, { resource: 'sso', action: 'admin' })
  const sibling = await organizationOf(app, admin.token, 'Sibling')
  const elsewhere = await otherCompany(app)
  const of = async (who: Parameters<typeof somebody>[0]) => by((await somebody(who)).token)
  const stranger = await of({ email: 'f@x.test', scope: 'partner', partnerId: elsewhere.partnerId })
  const neighbour = await of({ email: 'n@x.test', scope: 'organization', orgId: sibling.id })
  const confined = await of({ email: 'c@x.test', scope: 'organization', orgId: org.id, siteIds: [] })
  const viewer = await of({ email: 'v@x.test', scope: 'organization', orgId: org.id, role: 'Org Viewer' })
  const before = storedState(app)
  const missing = [404, 'Domain not found']
  const denied = [403, 'Access denied']
  for (const [who, of, wanted] of [
    [stranger, id, missing],
    [stranger, randomUUID(), missing],
    [neighbour, id, missing],
    [confined, id, missing],
    [viewer, id, [403, 'Permission denied']],
  ] as const) {
    expect(await refusal(who.verify(of))).toEqual(wanted)
    expect(await refusal(who.remove(of))).toEqual(wanted)
  }
  for (const who of [stranger, neighbour]) {
    expect(await refusal(who.list())).toEqual([403, 'Access to this organization denied'])
    expect(await refusal(who.add('corp.example'))).toEqual([403, 'Access to this organization denied'])
  }
  expect(await refusal(confined.list())).toEqual(denied)
  expect(await refusal(confined.add('other.example'))).toEqual(denied)
  expect(storedState(app)).toEqual(before)
  expect((await viewer.list()).body.data).toHaveLength(1)
  expect((await viewer.list({})).body.data).toHaveLength(1)
  expect((await neighbour.list({})).body.data).toEqual([])
  setOrganization(app, org.id, { status: 'archived' })
  expect((await all.verify(id)).body.code).toBe('ORG_LIFECYCLE_FROZEN')
})

test('a DNS server given by name in SSO_DNS_RESOLVERS prevents the start', async () => {
  await expect(testApp({ env: { SSO_DNS_RESOLVERS: 'dns.corp.test' } })).rejects.toThrow('SSO_DNS_RESOLVERS')
})
