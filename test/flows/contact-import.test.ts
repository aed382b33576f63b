import fc from 'fast-check'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { omnipotent, showFactor } from '../contract/stage.ts'
import { organizationOf, otherCompany, siteOf } from '../helpers/factories.ts'
import { auditOf, setOrganization } from '../helpers/rows.ts'
import { times } from '../helpers/thorough.ts'
import { contactScene } from './contact-kit.ts'

type Row = Record<string, unknown>

async function scene() {
  const base = await contactScene()
  const organization = base.org.name
  return {
    ...base,
    /** Rows of the organization, named by its name. */
    rows: (...rows: Row[]) => rows.map((row) => ({ organization, ...row })),
    contacts: async () => (await base.list({ limit: '100' })).body.data,
    annotations: async (rows: Row[], token?: string) =>
      (await base.preview(rows, token)).body.rows.map(({ annotation }) => annotation),
    events: () => base.app.rowCounts().audit_logs,
  }
}
const isSomebody = ({ name, email, phone }: Row) => Boolean(name || email || phone)
const nowhere = 'c2f0a4c6-2f0f-4a55-9a36-0b7f2f6c1d11'
const codes = (body: { errors: { code: string }[] }) => body.errors.map(({ code }) => code)

test('a preview annotates each row, returns it as sent and writes nothing', async () => {
  await using at = await scene()
  const { body: kim } = await at.create({ name: 'Kim Doe', email: 'kim@x.test' })
  await at.commit(at.rows({ name: 'Linked', externalId: '7' }))
  const before = at.app.rowCounts()
  const sent = [
    { organization: ' berlin ', name: 'New', site: 'hq', roles: ['billing'], externalId: '' },
    { organizationId: at.org.id.toUpperCase(), organization: 'other', email: ' KIM@x.test ' },
    { organization: 'Berlin', name: 'kim  DOE', email: 'other@x.test' },
    { organization: 'Berlin', name: 'x', externalId: '7' },
    { organization: 'Nowhere', name: 'x' },
    { organizationId: nowhere, name: 'x' },
    { name: 'x' },
    { organization: 'Berlin', title: 'x' },
    { organization: 'Berlin', name: 'x', roles: ['boss'] },
    { organization: 'Berlin', name: 'x', site: 'Moon' },
  ]
  const { status, body } = await at.preview(sent)
  expect(status).toBe(200)
  const place = { organizationId: at.org.id, organizationName: 'Berlin', siteId: null, contactId: null }
  const match = { contactId: kim.data.id, matchedContactName: 'Kim Doe', matchedContactEmail: 'kim@x.test' }
  const none = { organizationId: null, siteId: null, contactId: null }
  expect(body.rows).toEqual([
    { ...sent[0], index: 0, annotation: 'create', ...place, siteId: at.hq.id },
    { ...sent[1], index: 1, annotation: 'email-match', ...place, ...match },
    { ...sent[2], index: 2, annotation: 'name-match', ...place, ...match },
    expect.objectContaining({ index: 3, annotation: 'link-match', matchedContactName: 'Linked' }),
    { ...sent[4], index: 4, annotation: 'org-not-found', ...none, conflictReason: 'organization: not found' },
    { ...sent[5], index: 5, annotation: 'org-not-found', ...none, conflictReason: 'organizationId: not found' },
    { ...sent[6], index: 6, annotation: 'conflict', ...none, conflictReason: 'organization: the row names none' },
    { ...sent[7], index: 7, annotation: 'conflict', ...place, conflictReason: expect.stringMatching(/^name: /) },
    { ...sent[8], index: 8, annotation: 'conflict', ...place, conflictReason: 'roles: there is no role "boss"' },
    { ...sent[9], index: 9, annotation: 'conflict', ...place, conflictReason: expect.stringMatching(/^site: /) },
  ])
  expect(at.app.rowCounts()).toEqual(before)
})

test('a new row becomes a normalised contact that is never primary, with an audit event', async () => {
  await using at = await scene()
  const { status, body } = await at.commit(
    at.rows({
      site: ' depot ',
      name: 'Kim\r\nDoe',
      email: ' KIM@x.test ',
      phone: ' 1 ',
      mobile: null,
      title: 'Boss',
      roles: ['billing', 'billing'],
      externalId: ' 7 ',
      notes: ' Prefers mail\r\nCall after nine ',
    }),
  )
  expect(status).toBe(200)
  const [contact] = await at.contacts()
  expect(body).toEqual({
    imported: [{ index: 0, organizationId: at.org.id, contactId: contact?.id, name: 'Kim Doe', createdLink: true }],
    updated: [],
    skipped: [],
    errors: [],
  })
  expect(contact).toMatchObject({
    siteId: at.depot.id,
    name: 'Kim Doe',
    email: 'kim@x.test',
    phone: '1',
    mobile: null,
    title: 'Boss',
    roles: ['billing'],
    isPrimary: false,
    notes: 'Prefers mail\nCall after nine',
  })
  expect(at.app.db.all(q.selectFrom('contact_external_links').selectAll())).toMatchObject([
    { org_id: at.org.id, contact_id: contact?.id, system: 'csv', external_id: '7' },
  ])
  expect(auditOf(at.app, 'contact.create')).toMatchObject([
    {
      org_id: at.org.id,
      resource_name: 'Kim Doe',
      details: { source: 'contact_import', importId: expect.any(String), createdLink: true },
    },
  ])
})

test('an invalid row does not stop the others, and a row with a wrong shape refuses the request', async () => {
  await using at = await scene()
  const good = { name: 'Good', organization: 'Berlin' }
  const { status, body } = await at.commit([
    good,
    { organization: 'Nowhere', name: 'x' },
    { organization: 'Berlin', name: 'Bad', roles: ['boss'] },
    { organizationId: at.org.id, email: 'fine@x.test' },
  ])
  expect([status, body.imported.map(({ index }) => index)]).toEqual([200, [0, 3]])
  expect(body.errors).toEqual([
    { index: 1, organization: 'Nowhere', code: 'org-not-found', error: 'organization: not found' },
    { index: 2, organization: 'Berlin', code: 'row-conflict', error: 'roles: there is no role "boss"' },
  ])
  const before = at.app.rowCounts()
  for (const [bad, path] of [
    [{ ...good, email: 'nobody' }, 'rows.1.email'],
    [{ ...good, name: 7 }, 'rows.1.name'],
    [{ ...good, name: 'x'.repeat(256) }, 'rows.1.name'],
    [{ ...good, roles: Array(17).fill('billing') }, 'rows.1.roles'],
    [{ ...good, externalSystem: 'x'.repeat(65) }, 'rows.1.externalSystem'],
    [{ ...good, organizationId: 'x' }, 'rows.1.organizationId'],
    [{ name: ' ', phone: '', roles: [], externalId: null }, 'rows.1'],
    [{ ...good, expectedAnnotation: 'conflict' }, 'rows.1.expectedAnnotation'],
    [{ ...good, expectedContactId: 'x' }, 'rows.1.expectedContactId'],
    [7, 'rows.1'],
  ] as const) {
    const refused = await at.commit([good, bad as Row])
    expect([refused.status, Object.keys(refused.body.details?.fieldErrors ?? {})]).toEqual([400, [path]])
  }
  for (const rows of [[], Array(1001).fill(good)]) {
    expect((await at.commit(rows)).status).toBe(400)
    expect((await at.preview(rows)).status).toBe(400)
  }
  expect(at.app.rowCounts()).toEqual(before)
})

test('a match by address or name must be confirmed together with the id of the contact', async () => {
  await using at = await scene()
  const { body: kim } = await at.create({ name: 'Kim', email: 'kim@x.test' })
  const { body: other } = await at.create({ name: 'Other' })
  const [byEmail = {}, byName = {}] = at.rows({ email: 'kim@x.test', title: 'Boss' }, { name: 'KIM', phone: '1' })
  for (const mode of ['skip', 'update'])
    expect(codes((await at.commit([byEmail, byName], { mode })).body)).toEqual([
      'match-unconfirmed',
      'match-unconfirmed',
    ])
  for (const expectedAnnotation of ['email-match', 'name-match'])
    expect(await at.commit([byName, { ...byEmail, expectedAnnotation }])).toMatchObject({
      status: 400,
      body: { details: { fieldErrors: { 'rows.1.expectedContactId': [expect.any(String)] } } },
    })
  const confirmed = { ...byEmail, expectedAnnotation: 'email-match' }
  const { body: refused } = await at.commit([
    { ...confirmed, expectedContactId: other.data.id },
    { ...byName, expectedAnnotation: 'create' },
    { ...byName, expectedAnnotation: 'email-match', expectedContactId: kim.data.id },
    { organization: 'Berlin', name: 'New', expectedContactId: kim.data.id },
  ])
  expect(codes(refused)).toEqual(['match-changed', 'annotation-changed', 'annotation-changed', 'match-changed'])
  expect(await at.contacts()).toEqual([kim.data, other.data])
  const { body } = await at.commit([
    { ...confirmed, expectedContactId: kim.data.id },
    { ...byName, expectedAnnotation: 'name-match', expectedContactId: kim.data.id.toUpperCase() },
  ])
  expect(body.updated.map(({ index, contactId }) => [index, contactId])).toEqual([
    [0, kim.data.id],
    [1, kim.data.id],
  ])
  expect(await at.contacts()).toMatchObject([{ name: 'KIM', title: 'Boss', phone: '1' }, { name: 'Other' }])
  expect(auditOf(at.app, 'contact.update').map(({ details }) => details)).toEqual([
    { source: 'contact_import', importId: expect.any(String), createdLink: false, changedFields: ['title'] },
    { source: 'contact_import', importId: expect.any(String), createdLink: false, changedFields: ['name', 'phone'] },
  ])
})

test('blank cells change nothing, also in update mode, and filled ones replace', async () => {
  await using at = await scene()
  const full = { name: 'Kim', email: 'kim@x.test', phone: '1', title: 'Boss', roles: ['billing'], site: 'HQ' }
  await at.commit(at.rows({ ...full, externalId: '7' }))
  const [kim] = await at.contacts()
  await at.change(kim?.id ?? '', { isPrimary: true })
  const before = await at.contacts()
  const update = (row: Row) => at.commit(at.rows({ externalId: '7', ...row }), { mode: 'update' })
  at.app.clock.advance(60_000)
  expect((await update({ name: 'Kim', email: '', phone: ' ', title: null, roles: [] })).body.updated).toHaveLength(1)
  expect(await at.contacts()).toEqual(before)
  expect(auditOf(at.app, 'contact.update')).toHaveLength(1)
  expect((await update({ name: 'Kim', phone: '2', roles: ['admin'], site: 'Depot' })).body.updated).toMatchObject([
    { createdLink: false, contactId: kim?.id },
  ])
  expect(await at.contacts()).toMatchObject([
    { email: 'kim@x.test', phone: '2', title: 'Boss', roles: ['admin'], siteId: at.depot.id, isPrimary: true },
  ])
})

test('importing the same file again skips every row and writes nothing', async () => {
  await using at = await scene()
  const rows = at.rows(
    ...Array.from({ length: 60 }, (_, n) => ({
      name: `Person ${n}`,
      email: `p${n}@x.test`,
      externalId: `${n}`,
      site: n % 2 ? 'HQ' : null,
      roles: n % 3 ? [] : ['billing'],
    })),
  )
  const first = await at.commit(rows)
  expect(first.body.imported).toHaveLength(60)
  const [contacts, events] = [await at.contacts(), at.events()]
  at.app.clock.advance(60_000)
  const second = await at.commit(rows)
  expect(second.body).toEqual({
    imported: [],
    updated: [],
    skipped: first.body.imported.map(({ index, organizationId, contactId }) => ({
      index,
      organizationId,
      contactId,
      reason: 'already_linked',
    })),
    errors: [],
  })
  expect([await at.contacts(), at.events()]).toEqual([contacts, events])
})

/** A few people with many ids in two organizations: rows that match each other in every way. */
const anyRow = fc.record({
  organization: fc.constantFrom('Berlin', 'Sibling'),
  name: fc.constantFrom(null, '', 'Kim', ' kim ', 'Bo'),
  email: fc.constantFrom(null, '', 'kim@x.test', 'KIM@x.test', 'bo@x.test'),
  phone: fc.constantFrom(null, '1', '2'),
  roles: fc.subarray(['billing', 'site', 'boss'], { maxLength: 2 }),
  site: fc.constantFrom(null, '', 'HQ', 'Moon'),
})

test('rows already imported are skipped the next time, and nothing is written', async () => {
  await using at = await scene()
  await organizationOf(at.app, at.admin.token, 'Sibling')
  const rowsNow = () => [at.app.db.all(q.selectFrom('contacts').selectAll()), at.app.rowCounts()]
  let file = 0
  let seen = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 12 }), async (drawn) => {
      file++
      const rows = drawn.map((row, n) => ({ ...row, externalId: `${file}-${n}` })).filter(isSomebody)
      fc.pre(rows.length > 0)
      const first = (await at.commit(rows)).body
      const taken = [...first.imported, ...first.updated].map(({ index }) => rows[index] as Row)
      const all = [first.imported, first.updated, first.skipped, first.errors].flat().map(({ index }) => index)
      expect(all.sort((a, b) => a - b)).toEqual(rows.map((_, index) => index))
      fc.pre(taken.length > 0)
      seen += taken.length
      const before = rowsNow()
      at.app.clock.advance(1000)
      for (const again of [await at.commit(taken), await at.commit(taken, { mode: 'update' })])
        expect(again.body.imported.length + again.body.errors.length).toBe(0)
      expect((await at.commit(taken)).body.skipped).toHaveLength(taken.length)
      expect(rowsNow()).toEqual(before)
    }),
    { numRuns: times(40, 15) },
  )
  expect(seen).toBeGreaterThan(times(40, 10))
})

test('a confirmed match is linked, so that the next run recognises it', async () => {
  await using at = await scene()
  const { body: kim } = await at.create({ email: 'kim@x.test' })
  const [row = {}] = at.rows({ email: 'kim@x.test', externalId: '7', externalSystem: 'psa' })
  const acknowledged = { ...row, expectedAnnotation: 'email-match', expectedContactId: kim.data.id }
  expect((await at.commit([acknowledged])).body.updated).toMatchObject([{ createdLink: true }])
  expect((await at.commit([row])).body.skipped).toMatchObject([{ contactId: kim.data.id }])
  await at.commit(at.rows({ email: 'kim@x.test', externalId: '8' }).map((one) => ({ ...acknowledged, ...one })))
  expect(at.app.rowCounts().contact_external_links).toBe(2)
  await at.remove(kim.data.id)
  expect(at.app.rowCounts().contact_external_links).toBe(0)
})

test('each row is matched against the results of the rows before it', async () => {
  await using at = await scene()
  const row = { email: 'kim@x.test', expectedAnnotation: 'create' }
  const { body } = await at.commit(at.rows(row, row, { email: 'kim@x.test' }))
  expect([body.imported.length, codes(body)]).toEqual([1, ['annotation-changed', 'match-unconfirmed']])
})

test('of several rows for one contact the first sets the name, and the others only add what is blank', async () => {
  await using at = await scene()
  const { body: tim } = await at.create({ name: 'Tim Yıldız', email: 'tim@x.test' })
  const seen = { email: 'tim@x.test', expectedAnnotation: 'email-match', expectedContactId: tim.data.id }
  const others = Array.from({ length: 30 }, (_, n) => ({ name: `Other ${n}` }))
  const rows = at.rows(
    { ...seen, name: 'Tim Yıldız' },
    { ...seen, name: 'Neu Name' },
    ...others,
    { ...seen, name: 'Noch Einer' },
    { ...seen, title: 'Boss' },
  )
  const { body } = await at.commit(rows, { mode: 'update' })
  expect([body.updated.map(({ index }) => index), body.errors]).toEqual([
    [0, 33],
    [1, 32].map((index) => ({
      index,
      code: 'row-conflict',
      error: expect.stringMatching(/^name: /),
      organization: 'Berlin',
    })),
  ])
  expect((await at.contacts()).find(({ id }) => id === tim.data.id)).toMatchObject({
    name: 'Tim Yıldız',
    title: 'Boss',
  })
})

test('a row confirmed as the person of another row adds its id to that contact', async () => {
  await using at = await scene()
  const dana = { name: 'Dana Whitfield', email: 'dana@sunrise.test', phone: '555-0100', externalId: '81' }
  await at.commit(at.rows(dana))
  const [before] = await at.contacts()
  const other = {
    name: 'D. Whitfield',
    email: 'DANA@sunrise.test',
    title: 'Owner',
    phone: '555-0199',
    externalId: '82',
  }
  const { rows: told } = (await at.preview(at.rows(dana, other))).body
  expect(told.map(({ annotation, contactId }) => [annotation, contactId])).toEqual([
    ['link-match', before?.id],
    ['email-match', before?.id],
  ])
  expect(codes((await at.commit(at.rows(dana, other))).body)).toEqual(['match-unconfirmed'])
  const confirmed = { ...other, expectedAnnotation: 'email-match', expectedContactId: before?.id }
  const { body } = await at.commit(at.rows(dana, confirmed))
  expect(body).toMatchObject({
    imported: [],
    updated: [{ index: 1, contactId: before?.id, name: 'Dana Whitfield', createdLink: true }],
    skipped: [{ index: 0, contactId: before?.id }],
    errors: [],
  })
  // The first row sets the values; the other one only fills blanks.
  const [after, ...others] = await at.contacts()
  expect([after, others]).toMatchObject([
    { id: before?.id, name: 'Dana Whitfield', email: 'dana@sunrise.test', phone: '555-0100', title: 'Owner' },
    [],
  ])
  const links = at.app.db.all(q.selectFrom('contact_external_links').select(['contact_id', 'external_id']))
  expect(links.map(({ contact_id, external_id }) => [contact_id, external_id])).toEqual([
    [before?.id, '81'],
    [before?.id, '82'],
  ])
  expect(auditOf(at.app, 'contact.update').map(({ details }) => details)).toEqual([
    { source: 'contact_import', importId: expect.any(String), createdLink: true, changedFields: ['title'] },
  ])

  // Both ids match the contact from now on, and nothing more is written.
  const rowsNow = () => [at.app.db.all(q.selectFrom('contacts').selectAll()), at.app.rowCounts()]
  const rest = rowsNow()
  at.app.clock.advance(60_000)
  expect(await at.annotations(at.rows(dana, other))).toEqual(['link-match', 'link-match'])
  expect((await at.commit(at.rows(dana, other))).body.skipped).toHaveLength(2)
  expect((await at.commit(at.rows(dana, other), { mode: 'update' })).body.updated).toHaveLength(2)
  expect(rowsNow()).toEqual(rest)
})

test('a row is only merged into the contact it was confirmed for, and only with an id of its own', async () => {
  await using at = await scene()
  const dana = { name: 'Dana', email: 'dana@x.test', externalId: '81' }
  await at.commit(at.rows(dana))
  const [before] = await at.contacts()
  const { body: bo } = await at.create({ name: 'Bo', email: 'bo@x.test' })
  const match = { expectedAnnotation: 'email-match', expectedContactId: before?.id }
  const counts = at.app.rowCounts()
  const { body } = await at.commit(
    at.rows(
      dana,
      { ...match, name: 'D.', email: 'bo@x.test', externalId: '82' },
      { ...match, name: 'D.', email: 'dana@x.test', externalId: '83', expectedContactId: bo.data.id },
      { ...match, name: 'D.', email: 'dana@x.test' },
    ),
  )
  expect(codes(body)).toEqual(['match-changed', 'match-changed', 'row-conflict'])
  expect(at.app.rowCounts()).toEqual(counts)
})

test('an external id may occur once per organization, and a repeated one is a conflict', async () => {
  await using at = await scene()
  const sibling = await organizationOf(at.app, at.admin.token, 'Sibling')
  const rows = [
    { organization: 'Berlin', name: 'A', externalId: '7' },
    { organization: 'Sibling', name: 'B', externalId: '7' },
    { organization: 'Berlin', name: 'C', externalId: '8' },
    { organizationId: at.org.id, name: 'D', externalId: '8' },
    { organization: 'Berlin', name: 'E', externalId: '8', externalSystem: 'other' },
  ]
  const expected = ['create', 'create', 'conflict', 'conflict', 'create']
  expect(await at.annotations(rows)).toEqual(expected)
  const { body } = await at.commit(rows)
  expect(body.imported.map(({ index }) => index)).toEqual([0, 1, 4])
  expect(body.imported[1]?.organizationId).toBe(sibling.id)
  expect(codes(body)).toEqual(['row-conflict', 'row-conflict'])
  expect(body.errors[0]?.error).toMatch(/^externalId: /)
})

test('an ambiguous organization or site name is a conflict unless its exact spelling matches one', async () => {
  await using at = await scene()
  const { token } = at.admin
  const capitals = await organizationOf(at.app, token, 'BERLIN')
  await organizationOf(at.app, token, 'Österreich')
  const small = await siteOf(at.app, token, at.org.id, 'hq')
  const rows = [
    { organization: 'berlin', name: 'A' },
    { organizationId: at.org.id, name: 'A', site: 'Hq' },
    { organization: 'ÖSTERREICH', name: 'A' },
    { organization: ' BERLIN ', name: 'A' },
    { organization: 'Berlin', name: 'A', site: 'hq' },
  ]
  const { rows: told } = (await at.preview(rows)).body
  expect(told.map(({ annotation }) => annotation)).toEqual(['conflict', 'conflict', 'create', 'create', 'create'])
  expect(told[3]?.organizationId).toBe(capitals.id)
  expect(told[4]).toMatchObject({ organizationId: at.org.id, siteId: small.id })
})

test('organizations and sites with identical names are chosen by id', async () => {
  await using at = await scene()
  const twin = await siteOf(at.app, at.admin.token, at.org.id, 'HQ')
  const sibling = await organizationOf(at.app, at.admin.token, 'Sibling')
  const rows = at.rows(
    { name: 'A', site: 'HQ' },
    { name: 'B', site: 'HQ', siteId: twin.id.toUpperCase() },
    { name: 'C', siteId: at.hq.id },
    { name: 'D', site: 'HQ', siteId: '' },
    { name: 'E', siteId: nowhere },
    { organizationId: sibling.id, name: 'F', siteId: at.hq.id },
  )
  const { rows: told } = (await at.preview(rows)).body
  expect(told.map(({ siteId, conflictReason }) => siteId ?? conflictReason)).toEqual([
    'site: several have this name; use siteId',
    twin.id,
    at.hq.id,
    'site: several have this name; use siteId',
    'siteId: not found in the organization',
    'siteId: not found in the organization',
  ])
  const { body } = await at.commit(rows)
  expect(body.imported.map(({ index }) => index)).toEqual([1, 2])
  expect((await at.contacts()).map(({ siteId }) => siteId)).toEqual([twin.id, at.hq.id])
})

test('an archived organization or one out of reach does not make a name ambiguous', async () => {
  await using at = await scene()
  const gone = await organizationOf(at.app, at.admin.token, 'Berlin')
  setOrganization(at.app, gone.id, { status: 'archived' })
  const rows = at.rows({ name: 'A', externalId: '7' }, { name: 'B', externalId: '7' })
  expect(await at.annotations(rows)).toEqual(['conflict', 'conflict'])
  expect((await at.preview(rows)).body.rows[0]?.conflictReason).toMatch(/^externalId: /)
})

test('several contacts with the same address or name are a conflict, unless the row has an id of its own', async () => {
  await using at = await scene()
  for (const phone of ['1', '2']) await at.create({ name: 'Kim', email: 'kim@x.test', phone })
  const rows = at.rows(
    { email: 'kim@x.test' },
    { name: 'Kim', email: 'new@x.test' },
    { email: 'kim@x.test', externalId: '7' },
  )
  const { body } = await at.preview(rows)
  expect(body.rows.map(({ annotation }) => annotation)).toEqual(['conflict', 'conflict', 'create'])
  expect(body.rows[2]?.warning).toMatch(/^email: /)
  expect(codes((await at.commit(rows)).body)).toEqual(['row-conflict', 'row-conflict'])
})

test('a user confined to sites neither sees nor changes contacts of other sites', async () => {
  await using at = await scene()
  await at.commit(
    at.rows({ site: 'Depot', name: 'Barred', email: 'b@x.test', externalId: '7' }, { site: 'HQ', name: 'Own' }),
  )
  const before = await at.contacts()
  const token = await at.confined([at.hq.id])
  const rows = at.rows(
    { name: 'Barred', phone: '9' },
    { name: 'Own' },
    { email: 'b@x.test', externalId: '7' },
    { name: 'New', site: 'Depot' },
    { name: 'New', site: 'HQ' },
  )
  const { body, status } = await at.preview(rows, token)
  expect([status, body.rows.map(({ annotation }) => annotation)]).toEqual([
    200,
    ['create', 'name-match', 'create', 'conflict', 'create'],
  ])
  expect(JSON.stringify(body)).not.toContain(before.find(({ name }) => name === 'Barred')?.id)
  expect(body.rows[3]?.conflictReason).toBe(
    (await at.preview(at.rows({ name: 'New', site: 'Moon' }), token)).body.rows[0]?.conflictReason,
  )
  const { body: done } = await at.commit(rows, {}, token)
  expect(done.imported.map(({ index }) => index)).toEqual([0, 4])
  expect(done.errors).toMatchObject([
    { index: 1, code: 'match-unconfirmed' },
    { index: 2, code: 'write-failed', error: expect.stringContaining('already linked') },
    { index: 3, code: 'row-conflict' },
  ])
  expect(await at.contacts()).toEqual(expect.arrayContaining(before))
  expect(at.app.rowCounts()).toMatchObject({ contacts: 4, contact_external_links: 1 })
})

test('a row that the database refuses is rolled back alone, without the message of the driver', async () => {
  await using at = await scene()
  at.app.db
    .statement(
      `CREATE TRIGGER refuse AFTER INSERT ON contact_external_links WHEN new.external_id = 'bad'
       BEGIN SELECT raise(ABORT, 'secret of the driver'); END`,
    )
    .run()
  const { body } = await at.commit(
    at.rows({ name: 'A', externalId: '1' }, { name: 'B', externalId: 'bad' }, { name: 'C', externalId: '3' }),
  )
  expect(body.imported.map(({ index }) => index)).toEqual([0, 2])
  expect(body.errors).toEqual([
    { index: 1, organization: 'Berlin', code: 'write-failed', error: 'The row could not be saved' },
  ])
  expect((await at.contacts()).map(({ name }) => name)).toEqual(['A', 'C'])
  expect(auditOf(at.app, 'contact.create')).toHaveLength(2)
})

test.each(['archived', 'purging', 'merging'] as const)('no import into an organization that is %s', async (status) => {
  await using at = await scene()
  setOrganization(at.app, at.org.id, { status })
  const annotation = status === 'merging' ? 'conflict' : 'org-not-found'
  const rows = at.rows({ name: 'A' }, { organization: null, organizationId: at.org.id, name: 'A' })
  expect(await at.annotations(rows)).toEqual([annotation, annotation])
  const code = status === 'merging' ? 'row-conflict' : 'org-not-found'
  expect(codes((await at.commit(rows)).body)).toEqual([code, code])
  expect(at.app.rowCounts().contacts).toBe(0)
})

test('rows match only organizations of the caller: an operator names the company, an organization has only itself', async () => {
  await using at = await scene()
  const sibling = await organizationOf(at.app, at.admin.token, 'Sibling')
  const { partnerId } = at.admin
  const other = await otherCompany(at.app)
  const rows = [
    { organization: 'Berlin', name: 'A' },
    { organizationId: sibling.id, name: 'A' },
    { organizationId: other.org.id, name: 'A' },
    { organization: 'Umbrella One', name: 'A' },
  ]
  const ofPartner = ['create', 'create', 'org-not-found', 'org-not-found']
  expect(await at.annotations(rows)).toEqual(ofPartner)
  expect((await at.preview(rows, undefined, { partnerId: other.partnerId })).body.error).toBe(
    'Access denied to this partner',
  )
  const operator = await omnipotent(at.app, { email: 'sys@x.test', scope: 'system' })
  showFactor(at.app, operator.id)
  expect((await at.preview(rows, operator.token)).body).toMatchObject({
    error: 'partnerId is required for system scope',
  })
  const { body } = await at.preview(rows, operator.token, { partnerId })
  expect(body.rows.map(({ annotation }) => annotation)).toEqual(ofPartner)
  const ofOrganization = ['create', 'org-not-found', 'org-not-found', 'org-not-found']
  expect(await at.annotations(rows, await at.confined(null))).toEqual(ofOrganization)
})

test('other calls are answered while a thousand rows are imported', async () => {
  await using at = await scene()
  const rows = at.rows(...Array.from({ length: 1000 }, (_, n) => ({ name: `Person ${n}`, externalId: `${n}` })))
  let answered = 0
  let isDone = false
  const importing = at.commit(rows).finally(() => {
    isDone = true
  })
  while (!isDone) if ((await at.create({ name: 'Between' })).status === 201) answered++
  expect((await importing).body.imported).toHaveLength(1000)
  expect(answered).toBeGreaterThan(5)
})
