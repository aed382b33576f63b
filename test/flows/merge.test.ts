import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { toJson } from '../../server/lib/json.ts'
import { hour, isoNow } from '../../server/platform/clock.ts'
import { readDevice } from '../../shared/api/devices.ts'
import { createOrganization, listOrganizationTree, readOrganization } from '../../shared/api/organizations.ts'
import { enroll } from '../../shared/device/enroll.ts'
import { eventually } from '../helpers/eventually.ts'
import { enrollBody, member, organizationOf, siteOf } from '../helpers/factories.ts'
import { fakeDevice, listening } from '../helpers/fake-device.ts'
import { liveStream } from '../helpers/live-stream.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import {
  addContact,
  addDomain,
  addGroup,
  addLink,
  addMembership,
  addRole,
  addSsoProvider,
  auditCount,
  holdErasures,
  mergeScene,
  orgOf,
  rowsOf,
} from './merge-kit.ts'

/** Merging organizations: what moves, what is dropped, what is refused. */

const sitesAlike = '1 site has the name of a site of the organization that stays: both are kept, side by side'

test('a preview writes nothing and gives the same result twice', async () => {
  const { app, loser, survivor, preview } = await mergeScene()
  addLink(app, loser.org.id, addContact(app, loser.org.id, {}), '1')
  addLink(app, survivor.org.id, addContact(app, survivor.org.id, {}), '1')
  const before = rowsOf(app)
  const first = await preview()
  expect(first.status).toBe(200)
  expect((await preview()).body).toEqual(first.body)
  expect(rowsOf(app)).toEqual(before)
  const events = auditCount(app, loser.org.id)
  expect(first.body).toEqual({
    tables: [
      { table: 'sites', policy: 'repoint', loserRows: 1, wouldDrop: 0 },
      { table: 'enrollment_keys', policy: 'custom', loserRows: 1, wouldDrop: 0 },
      { table: 'contacts', policy: 'custom', loserRows: 1, wouldDrop: 0 },
      { table: 'contact_external_links', policy: 'dedupe', loserRows: 1, wouldDrop: 1 },
      { table: 'devices', policy: 'repoint', loserRows: 1, wouldDrop: 0 },
      { table: 'audit_logs', policy: 'leave-for-erasure', loserRows: events, wouldDrop: events },
    ],
    totalMovableRows: 4,
    verdict: 'ok',
    warnings: [
      '1 enrollment key can no longer be used',
      sitesAlike,
      `The audit log of Loser is deleted with it, but for who made it and changed its status: ${events} events`,
    ],
    blockers: [],
  })
})

test('a merge moves everything of the loser to the survivor, audits it and leaves a consistent database', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  const group = addGroup(app, loser.org.id, loser.site.id, [loser.device.deviceId])
  const base = addRole(app, loser.org.id, 'Base')
  const role = addRole(app, loser.org.id, 'Special', base)
  const inSite = addContact(app, loser.org.id, { site_id: loser.site.id, is_primary: 1, name: 'Front desk' })
  const billing = addContact(app, loser.org.id, { roles: toJson(['billing']), name: 'Bill', email: 'bill@x.test' })
  addLink(app, loser.org.id, billing, '7')
  const somebody = await member(app, { email: 's@x.test', scope: 'organization', orgId: loser.org.id })
  const events = auditCount(app, loser.org.id)

  const { result } = await run('completed')

  expect(result).toEqual({
    tables: {
      sites: { moved: 1, dropped: 0 },
      roles: { moved: 2, dropped: 0 },
      organization_users: { moved: 1, dropped: 0 },
      enrollment_keys: { moved: 1, dropped: 0 },
      device_groups: { moved: 1, dropped: 0 },
      contacts: { moved: 2, dropped: 0 },
      contact_external_links: { moved: 1, dropped: 0 },
      devices: { moved: 1, dropped: 0 },
      __post_pass_fixups: { moved: 0, dropped: 0 },
    },
    summary: result?.tables,
    warnings: [
      '1 enrollment key can no longer be used',
      sitesAlike,
      `The audit log of Loser is deleted with it, but for who made it and changed its status: ${events} events`,
    ],
    mergeEventId: expect.any(String),
    jobId: `org-merge-${loser.org.id}`,
  })
  for (const [table, id] of [
    ['sites', loser.site.id],
    ['devices', loser.device.deviceId],
    ['device_groups', group],
    ['roles', role],
    ['contacts', inSite],
    ['enrollment_keys', loser.key.id],
  ] as const)
    expect(orgOf(app, table, id), table).toBe(survivor.org.id)
  expect(app.db.first(q.selectFrom('roles').select('parent_role_id').where('id', '=', role))?.parent_role_id).toBe(base)
  expect(app.db.all(q.selectFrom('device_group_members').selectAll())).toMatchObject([{ group_id: group }])
  expect(app.db.all(q.selectFrom('organization_users').selectAll())).toMatchObject([
    { user_id: somebody.id, org_id: survivor.org.id },
  ])
  const organization = await app.call(readOrganization, { params: { id: survivor.org.id } }, admin)
  expect(organization.body).toMatchObject({ billingContact: { name: 'Bill', email: 'bill@x.test' } })
  expect(app.db.first(q.selectFrom('organizations').select('device_count').where('id', '=', survivor.org.id))).toEqual({
    device_count: 2,
  })
  expect(app.db.all(q.selectFrom('org_merge_events').selectAll())).toMatchObject([
    {
      id: result?.mergeEventId,
      loser_org_id: loser.org.id,
      loser_org_name: 'Loser',
      survivor_org_id: survivor.org.id,
      actor_user_id: admin.userId,
    },
  ])
  const jobId = `org-merge-${loser.org.id}`
  expect(auditOf(app, 'org.merge.requested')).toMatchObject([
    {
      org_id: survivor.org.id,
      resource_id: loser.org.id,
      actor_id: admin.userId,
      details: { survivorId: survivor.org.id, survivorName: 'Survivor', partnerId: admin.partnerId, jobId },
    },
  ])
  const details = {
    loserOrgId: loser.org.id,
    loserName: 'Loser',
    survivorId: survivor.org.id,
    mergeEventId: result?.mergeEventId,
  }
  expect(auditOf(app, 'org.merge.completed')).toMatchObject([
    { org_id: survivor.org.id, details },
    { org_id: null, details },
  ])
  expect(auditOf(app, 'org.merge.erasure_enqueued')).toMatchObject([{ org_id: null }])
  expect(app.db.check()).toEqual([])
  expect(app.rowCounts().org_merge_undo).toBe(0)
})

test('a merged organization answers 404, stays `merging`, and keeps its slug until it is erased', async () => {
  const { app, admin, loser, run } = await mergeScene()
  const letErase = holdErasures(app)
  await run('completed')
  await eventually(() => expect(auditOf(app, 'tenant.erasure.failed')).toHaveLength(1))
  expect((await app.call(readOrganization, { params: { id: loser.org.id } }, admin)).status).toBe(404)
  const { body } = await app.call(listOrganizationTree, {}, admin)
  expect(body.data.map(({ name }) => name)).toEqual(['Survivor'])
  const shell = () => app.db.first(q.selectFrom('organizations').selectAll().where('id', '=', loser.org.id))
  expect(shell()).toMatchObject({ status: 'merging', deleted_at: expect.any(String) })
  const again = () =>
    app.call(createOrganization, { body: { name: 'Again', slug: loser.org.slug.toUpperCase() } }, admin)
  expect((await again()).status).toBe(409)
  letErase()
  await app.app.jobs.runNow('tenants.sweep')
  expect(auditOf(app, 'org.merge.erasure_enqueued'), 'not before an hour has passed').toHaveLength(1)
  app.clock.advance(hour)
  await app.app.jobs.runNow('tenants.sweep')
  await eventually(() => expect(shell()).toBeUndefined())
  expect(app.app.tasks.find(`org-merge-${loser.org.id}`)?.state).toBe('completed')
})

test('contacts, sites and roles with the same name are all kept, and the survivor keeps its primary contact', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  const contacts = [loser, survivor].map(({ org, site }) => {
    addRole(app, org.id, 'Helpdesk')
    return [
      addContact(app, org.id, { email: 'kim@x.test', is_primary: 1 }),
      addContact(app, org.id, { email: 'desk@x.test', is_primary: 1, site_id: site.id }),
    ] as const
  })
  await siteOf(app, admin.token, loser.org.id, 'Main')
  await siteOf(app, admin.token, survivor.org.id, 'Main')
  app.clock.advance(1000)
  const { result } = await run('completed')
  expect(result?.warnings).toContain(
    '1 primary contact becomes an ordinary one: the organization that stays has a primary contact',
  )
  expect(result?.warnings).toContain(
    '2 contacts have an email address that a contact of the organization that stays has too; none is dropped',
  )
  const named = (table: string, name: string) =>
    app.db.statement(`SELECT count(*) FROM ${table} WHERE org_id = ? AND name = ?`).pluck().get(survivor.org.id, name)
  expect([named('contacts', 'Kim'), named('sites', 'Main'), named('roles', 'Helpdesk')]).toEqual([4, 2, 2])
  const primaries = app.db.all(q.selectFrom('contacts').select('id').where('is_primary', '=', 1))
  const [ofLoser, ofSurvivor] = contacts
  expect(new Set(primaries.map(({ id }) => id))).toEqual(new Set([ofLoser?.[1], ...(ofSurvivor ?? [])]))
  expect(
    app.db.first(
      q
        .selectFrom('contacts')
        .selectAll()
        .where('id', '=', ofLoser?.[0] ?? ''),
    ),
  ).toMatchObject({
    is_primary: 0,
    updated_at: isoNow(app.clock),
  })
})

test('a member of both keeps the role of the survivor and the reach that both memberships allow', async () => {
  const { app, loser, survivor, run } = await mergeScene()
  const viewer = findBuiltInRole(app.db, 'Org Viewer', 'organization') as string
  const [l, s, g] = [loser.site.id, survivor.site.id, addGroup(app, loser.org.id, null, [])]
  const cases = [
    { lost: null, kept: [s], united: null },
    { lost: [l], kept: null, united: null },
    { lost: [l], kept: [s], united: [l, s] },
    { lost: [], kept: [s], united: [s] },
    { lost: [l], kept: [], united: [l] },
    { lost: [], kept: [], united: [] },
    { lost: [s], kept: [s], united: [s] },
  ]
  const people = []
  for (const [n, { lost, kept }] of cases.entries()) {
    const who = { email: `m${n}@x.test`, scope: 'organization', orgId: survivor.org.id } as const
    const { id } = await member(app, who)
    app.db.run(q.deleteFrom('organization_users').where('user_id', '=', id))
    addMembership(app, survivor.org.id, id, viewer, kept)
    addMembership(app, loser.org.id, id, findBuiltInRole(app.db, 'Org Admin', 'organization') as string, lost, [g])
    people.push(id)
  }
  const alone = await member(app, { email: 'alone@x.test', scope: 'organization', orgId: loser.org.id, siteIds: [l] })
  const { result } = await run('completed')
  expect(result?.tables.organization_users).toEqual({ moved: 1, dropped: cases.length })
  const memberships = new Map(
    app.db.all(q.selectFrom('organization_users').selectAll()).map((row) => [row.user_id, row]),
  )
  expect(memberships.size).toBe(cases.length + 1)
  for (const [n, { united }] of cases.entries()) {
    const row = memberships.get(people[n] ?? '')
    expect(row, `case ${n}`).toMatchObject({ org_id: survivor.org.id, role_id: viewer, device_group_ids: null })
    expect(row?.site_ids && JSON.parse(row.site_ids).sort(), `case ${n}`).toEqual(united && [...united].sort())
  }
  expect(memberships.get(alone.id)).toMatchObject({ org_id: survivor.org.id, site_ids: JSON.stringify([l]) })
  expect(result?.warnings).toContain('m0@x.test is in both: the role "Org Viewer" stays, "Org Admin" goes')
})

test('of equal external links that of the survivor stays, and no contact is lost', async () => {
  const { app, loser, survivor, run } = await mergeScene()
  const [theirs, ours] = [addContact(app, loser.org.id, {}), addContact(app, survivor.org.id, {})]
  addLink(app, loser.org.id, theirs, 'same')
  addLink(app, survivor.org.id, ours, 'same')
  addLink(app, loser.org.id, theirs, 'other')
  const { result } = await run('completed')
  expect(result?.tables.contact_external_links).toEqual({ moved: 1, dropped: 1 })
  const links = q.selectFrom('contact_external_links').select(['contact_id', 'external_id', 'org_id'])
  expect(app.db.all(links.orderBy('external_id'))).toEqual([
    { contact_id: theirs, external_id: 'other', org_id: survivor.org.id },
    { contact_id: ours, external_id: 'same', org_id: survivor.org.id },
  ])
  expect(orgOf(app, 'contacts', theirs)).toBe(survivor.org.id)
})

test('enrollment keys expire, agents keep their tokens and report under the survivor', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  const device = fakeDevice(app, loser.device)
  expect((await device.beat()).status).toBe(200)
  await run('completed')
  const key = app.db.first(q.selectFrom('enrollment_keys').selectAll().where('id', '=', loser.key.id))
  expect(key).toMatchObject({ org_id: survivor.org.id, expires_at: isoNow(app.clock) })
  expect((await app.call(enroll, { body: enrollBody(loser.key.key, 'late-pc') })).status).toBe(401)
  expect((await device.beat()).status).toBe(200)
  const { body } = await app.call(readDevice, { params: { id: loser.device.deviceId } }, admin)
  expect(body).toMatchObject({ orgId: survivor.org.id, siteId: loser.site.id, status: 'online' })
})

test('identity providers of the loser are switched off, people stay connected, and domains are not duplicated', async () => {
  const { app, admin, loser, survivor, preview, run } = await mergeScene()
  const [lost, kept] = [addSsoProvider(app, loser.org.id), addSsoProvider(app, survivor.org.id)]
  const now = isoNow(app.clock)
  const identity = { id: lost, user_id: admin.userId, provider_id: lost, external_id: 'sub-1' }
  app.db.run(q.insertInto('user_sso_identities').values({ ...identity, created_at: now, updated_at: now }))
  addDomain(app, loser.org.id, 'acme.test')
  const moved = addDomain(app, loser.org.id, 'lost.test')
  const stays = addDomain(app, survivor.org.id, 'acme.test')

  const warning = '1 single sign-on provider will be switched off: nobody signs in that way until that is changed'
  expect((await preview()).body.warnings).toContain(warning)
  expect((await run('completed')).result?.tables).toMatchObject({
    sso_providers: { moved: 1, dropped: 0 },
    sso_verified_domains: { moved: 1, dropped: 1 },
  })

  const providers = app.db.all(q.selectFrom('sso_providers').selectAll().where('org_id', '=', survivor.org.id))
  expect(providers.find(({ id }) => id === lost)).toMatchObject({
    status: 'inactive',
    enforce_sso: 0,
    config_version: 2,
  })
  expect(providers.find(({ id }) => id === kept)).toMatchObject({ status: 'active', enforce_sso: 1, config_version: 1 })
  expect(app.db.all(q.selectFrom('user_sso_identities').select(['provider_id', 'external_id']))).toEqual([
    { provider_id: lost, external_id: 'sub-1' },
  ])
  const domains = app.db.all(q.selectFrom('sso_verified_domains').select(['id', 'org_id']).orderBy('domain'))
  expect(domains).toEqual([stays, moved].map((id) => ({ id, org_id: survivor.org.id })))
})

test('sites with the same name are named in the preview before both are kept', async () => {
  const { app, loser, survivor, preview } = await mergeScene()
  const rename = (orgId: string, name: string) =>
    app.db.run(q.updateTable('sites').set({ name }).where('org_id', '=', orgId))
  rename(survivor.org.id, 'Hamburg')
  rename(loser.org.id, 'Berlin')
  expect((await preview()).body.warnings).not.toContain(sitesAlike)
  rename(survivor.org.id, 'berlin ')
  expect((await preview()).body.warnings).toContain(sitesAlike)
})

test('a merge beyond the device limit of the survivor warns and is still possible', async () => {
  const { app, loser, survivor, preview, run } = await mergeScene()
  const warning = 'Survivor has a limit of 1 device and 2 with these: no other device can enroll there'
  setOrganization(app, survivor.org.id, { max_devices: 2 })
  expect((await preview()).body.warnings).not.toContain(warning)
  setOrganization(app, survivor.org.id, { max_devices: 1 })
  expect((await preview()).body.warnings).toContain(warning)
  expect((await run('completed')).result?.warnings).toContain(warning)
  expect(orgOf(app, 'devices', loser.device.deviceId)).toBe(survivor.org.id)
  expect((await app.call(enroll, { body: enrollBody(survivor.key.key, 'one-more') })).body).toMatchObject({
    currentDevices: 2,
    maxDevices: 1,
  })
})

test('a live event announces a merge when it begins and when it completes', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  using stream = await liveStream(await listening(app), admin.token)
  const told = (orgId: string) =>
    stream.event((event) => event.type === 'organization.changed' && event.orgId === orgId)
  await run('completed')
  await told(loser.org.id)
  await told(survivor.org.id)
  expect(stream.events.filter(({ type }) => type === 'organization.changed')).toHaveLength(2)
})

test('ten simultaneous requests start one merge', async () => {
  const { app, loser, merge, ended } = await mergeScene()
  const answers = await Promise.all(Array.from({ length: 10 }, () => merge()))
  for (const { status, body } of answers) expect([status, body.jobId]).toEqual([202, `org-merge-${loser.org.id}`])
  app.app.tasks.start()
  await ended('completed')
  expect(auditOf(app, 'org.merge.requested')).toHaveLength(1)
  expect(app.db.all(q.selectFrom('org_merge_events').selectAll())).toHaveLength(1)
})

test('a merge above the size limit is refused before anything is fenced', async () => {
  const { app, loser, merge, preview } = await mergeScene({ ORG_MERGE_MAX_ROWS: '2' })
  expect((await preview()).body).toMatchObject({ totalMovableRows: 3, verdict: 'too-large' })
  const before = rowsOf(app)
  expect(await merge()).toMatchObject({ status: 422, body: { code: 'ORG_MERGE_TOO_LARGE', totalMovableRows: 3 } })
  expect(rowsOf(app)).toEqual(before)
  expect((await fakeDevice(app, loser.device).beat()).status).toBe(200)
})

test('members with selected organizations have the survivor in place of the loser, once', async () => {
  const { app, admin, loser, survivor, run } = await mergeScene()
  const third = await organizationOf(app, admin.token, 'Third')
  const lists = [[loser.org.id, third.id, survivor.org.id], [third.id, loser.org.id], [third.id]]
  const people = await Promise.all(
    lists.map((orgIds, n) =>
      member(app, {
        email: `p${n}@x.test`,
        scope: 'partner',
        partnerId: admin.partnerId,
        orgAccess: 'selected',
        orgIds,
      }),
    ),
  )
  const { result } = await run('completed')
  expect(result?.tables.__post_pass_fixups).toEqual({ moved: 2, dropped: 0 })
  const listOf = (id: string | undefined) =>
    app.db.first(
      q
        .selectFrom('partner_users')
        .select('org_ids')
        .where('user_id', '=', id ?? ''),
    )?.org_ids
  expect(people.map(({ id }) => JSON.parse(listOf(id) ?? ''))).toEqual([
    [survivor.org.id, third.id],
    [third.id, survivor.org.id],
    [third.id],
  ])
})
