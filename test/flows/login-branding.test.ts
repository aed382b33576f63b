import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { q } from '../../server/db/query.ts'
import { loginContext, readLoginBranding, replaceLoginBranding } from '../../shared/api/login-branding.ts'
import { bootstrapped, otherCompany, person } from '../helpers/factories.ts'
import { auditOf, setPartner } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { statusAndError } from './group-kit.ts'

const pixel = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  jpeg: '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  webp: 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
}
const dataUri = (type: string, data: string) => `data:image/${type};base64,${data}`
/** The header of a PNG of this size; its pixels are not needed here. */
function pngOf(width: number, height: number): string {
  const bytes = Buffer.from(pixel.png, 'base64')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes.toString('base64')
}

const whole = { logoUrl: 'https://cdn.acme.example/logo.png', accentColor: '#1A2b3c', headline: 'Welcome' }

async function branded(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const admin = await bootstrapped(app)
  const put = (body: object) => app.call(replaceLoginBranding, { body }, { token: admin.token })
  return { app, admin, put }
}
const contextOf = (app: TestApp) => app.call(loginContext)
const nothing = { branding: null, partnerSso: null }

test('replacing the branding clears omitted fields, and an SVG logo is refused', async () => {
  const { app, admin, put } = await branded()
  await using _ = app
  const own = async () => (await app.call(readLoginBranding, {}, { token: admin.token })).body
  expect(await own()).toEqual({ data: null })
  expect((await put(whole)).body).toEqual({ data: whole })
  expect((await put({ headline: '  Hello  ' })).body).toEqual({
    data: { logoUrl: null, accentColor: null, headline: 'Hello' },
  })
  const svg = dataUri('svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'))
  expect((await put({ logoUrl: svg })).status).toBe(400)
  expect(await own()).toEqual({ data: { logoUrl: null, accentColor: null, headline: 'Hello' } })
  expect((await put({ headline: '   ' })).body.data).toEqual({ logoUrl: null, accentColor: null, headline: null })
})

const logos: [logoUrl: string, status: number][] = [
  ['https://cdn.acme.example/logo.svg', 200],
  ['https://nas:5001/logo.png?v=2#x', 200],
  [dataUri('png', pixel.png), 200],
  [dataUri('jpeg', pixel.jpeg), 200],
  [dataUri('webp', pixel.webp), 200],
  [dataUri('png', pngOf(4096, 4096)), 200],
  [dataUri('png', pngOf(4097, 10)), 400],
  [dataUri('png', pngOf(10, 4097)), 400],
  [dataUri('png', pngOf(0, 10)), 400],
  [dataUri('png', pixel.jpeg), 400],
  [dataUri('webp', pixel.png), 400],
  [dataUri('png', Buffer.from('<svg/>').toString('base64')), 400],
  [dataUri('png', ''), 400],
  [dataUri('png', `${pixel.png}!`), 400],
  [dataUri('gif', 'R0lGODlhAQABAAAAACw='), 400],
  [`data:image/png,${pixel.png}`, 400],
  [`data:text/html;base64,${pixel.png}`, 400],
  ['http://cdn.acme.example/logo.png', 400],
  ['//cdn.acme.example/logo.png', 400],
  ['javascript:alert(1)', 400],
  ['https://ada:secret@cdn.acme.example/logo.png', 400],
  ['https://*.example/logo.png', 400],
  ["https://cdn.example;script-src'self'/logo.png", 400],
  ['https://cdn.example,evil.example/logo.png', 400],
  [`https://cdn.acme.example/${'x'.repeat(2000)}`, 400],
  [dataUri('png', pixel.png + 'A'.repeat(400_000)), 400],
  ['', 400],
]

test('which data and addresses are accepted as a logo', async () => {
  const { app, put } = await branded()
  await using _ = app
  for (const [logoUrl, status] of logos) expect((await put({ logoUrl })).status, logoUrl.slice(0, 60)).toBe(status)
})

const fields: [field: string, value: string, status: number][] = [
  ['accentColor', '#12345', 400],
  ['accentColor', 'red', 400],
  ['accentColor', '#12345g', 400],
  ['headline', 'x'.repeat(121), 400],
  ['headline', `${' '.repeat(10)}${'x'.repeat(120)} `, 200],
  ['headline', 'a\nb', 400],
]

test('a color has six digits, and a headline is one line of up to 120 characters', async () => {
  const { app, put } = await branded()
  await using _ = app
  for (const [field, value, status] of fields)
    expect((await put({ [field]: value })).status, `${field} ${value}`).toBe(status)
})

test('only full access can change the branding, and its events do not contain the logo', async () => {
  const { app, admin, put } = await branded()
  await using _ = app
  const partner = { scope: 'partner', partnerId: admin.partnerId } as const
  const selected = await person(app, { email: 's@x.test', ...partner, orgAccess: 'selected', orgIds: [] })
  expect(statusAndError(await app.call(replaceLoginBranding, { body: whole }, { token: selected.token }))).toEqual([
    403,
    'Modifying a partner-wide policy requires full partner org access (orgAccess must be "all")',
  ])
  expect((await app.call(readLoginBranding, {}, { token: selected.token })).status).toBe(200)
  const operator = await person(app, { email: 'o@x.test', scope: 'system' })
  for (const call of [
    app.call(readLoginBranding, {}, { token: operator.token }),
    app.call(replaceLoginBranding, { body: {} }, { token: operator.token }),
  ])
    expect(statusAndError(await call)).toEqual([400, 'Partner context required'])
  expect(auditOf(app, 'partner.login_branding.update')).toEqual([])
  await put({ logoUrl: dataUri('png', pixel.png), headline: 'Hi' })
  const applied = { logoUrl: true, accentColor: null, headline: 'Hi' }
  const [event] = auditOf(app, 'partner.login_branding.update')
  expect(event).toMatchObject({
    org_id: null,
    partner_id: admin.partnerId,
    details: { partnerId: admin.partnerId, applied },
  })
  expect(JSON.stringify(event)).not.toContain(pixel.png)
})

test('the sign-in page shows no branding once a second company exists, even a suspended one', async () => {
  const { app, put } = await branded()
  await using _ = app
  expect((await contextOf(app)).body).toEqual(nothing)
  await put(whole)
  const shown = await contextOf(app)
  expect(shown.body).toEqual({ branding: whole, partnerSso: null })
  expect(shown.headers['cache-control']).toBe('public, max-age=60')
  const { partnerId } = await otherCompany(app)
  setPartner(app, partnerId, { status: 'suspended' })
  expect((await contextOf(app)).body).toEqual(nothing)
  // A deleted company does not count: the remaining one shows its branding again.
  setPartner(app, partnerId, { deleted_at: '2027-01-01T00:00:00.000Z' })
  expect((await contextOf(app)).body.branding).toEqual(whole)
})

test('a hosted installation shows no branding', async () => {
  const { app, put } = await branded({ IS_HOSTED: 'true' })
  await using _ = app
  await put(whole)
  expect((await contextOf(app)).body).toEqual(nothing)
})

test('unreadable branding leaves a plain page that is not cached', async () => {
  const { app, put } = await branded()
  await using _ = app
  await put(whole)
  app.db.statement('ALTER TABLE partner_login_branding RENAME TO mislaid').run()
  const { status, body, headers } = await contextOf(app)
  expect([status, body, headers['cache-control']]).toEqual([200, nothing, 'no-store'])
  app.db.statement('ALTER TABLE mislaid RENAME TO partner_login_branding').run()
})

test('the branding can be read thirty times a minute per address, without writes to the database', async () => {
  const { app } = await branded()
  await using _ = app
  const before = app.rowCounts()
  for (let look = 0; look < 30; look++) expect((await contextOf(app)).status).toBe(200)
  const refused = await contextOf(app)
  expect(refused).toMatchObject({ status: 429, body: { error: 'Too many requests', retryAfter: 60 } })
  expect((await app.call(loginContext, {}, { remoteAddress: '10.9.8.7' })).status).toBe(200)
  expect(app.rowCounts()).toEqual(before)
})

test('the content policy allows the origin of the logo only while it is shown', async () => {
  const { app, put } = await branded()
  await using _ = app
  mkdirSync(`${app.dataDir}/dist/renderer`, { recursive: true })
  writeFileSync(`${app.dataDir}/dist/renderer/index.html`, '<p>')
  const images = async () =>
    /img-src ([^;]*)/.exec(String((await app.inject({ url: '/' })).headers['content-security-policy']))?.[1]
  expect(await images()).toBe("'self' data:")
  await put({ logoUrl: 'https://CDN.acme.example:8443/logo.png' })
  expect(await images()).toBe("'self' data: https://cdn.acme.example:8443")
  await put({ logoUrl: dataUri('png', pixel.png) })
  expect(await images()).toBe("'self' data:")
  await put(whole)
  app.db.run(q.updateTable('partners').set({ status: 'suspended' }))
  await otherCompany(app)
  expect(await images()).toBe("'self' data:")
})
