import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Actor } from '../../server/platform/actor.ts'
import { auditColumns, downloadAuditLog, exportAuditLog } from '../../shared/api/audit-log.ts'
import { regrant } from '../contract/stage.ts'
import { writer } from '../helpers/audit-writer.ts'
import { company, otherCompany, person } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { bulk } from './audit-kit.ts'

let app: TestApp
let own: Awaited<ReturnType<typeof company>>
beforeAll(async () => {
  app = await testApp({ env: { HOMEPORT_LIMIT_AUDIT_EXPORT: '0/60' } })
  own = await company(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const asAda = () => ({ token: own.admin.token })
const ada = (userAgent: string | null = null): Actor =>
  ({
    kind: 'user',
    userId: own.admin.userId,
    email: own.admin.email,
    partnerId: own.admin.partnerId,
    origin: { ip: '10.1.2.3', userAgent },
  }) as unknown as Actor

const csvOf = async (body: object, caller = asAda()) => {
  const answer = await app.call(exportAuditLog, { body: { format: 'csv', ...body } } as never, caller)
  expect(answer.status).toBe(200)
  return { ...answer, text: answer.body as unknown as string }
}
const only = (resource: string) => ({ filters: { resource } })

test('a CSV file has a plain header row, every cell quoted, and the newest event first', async () => {
  const write = writer(app, ada('a "browser"'))
  write({
    action: 'device.update',
    orgId: own.org.id,
    resourceType: 'csv',
    resourceName: 'first\r\nline',
    details: { a: 1 },
    timestamp: '2026-03-01T08:59:59.000Z',
  })
  write({ orgId: own.org.id, resourceType: 'csv', resourceId: 'x' })
  const { text, headers } = await csvOf(only('csv'))
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(headers['content-disposition']).toBe('attachment; filename="audit-logs.csv"')
  expect(headers['cache-control']).toBe('no-store')
  const at = '"2026-03-01T09:00:00.001Z"'
  const who = `"${own.admin.userId}","Ada Admin","${own.admin.email}"`
  const from = '"success","10.1.2.3","a ""browser"""'
  const lines = text.replaceAll(/"[0-9a-f-]{36}",(?="2026)/g, '')
  expect(lines).toBe(
    [
      auditColumns.join(','),
      `${at},${who},"test.done","csv","x","","system",${from},"{}"`,
      `"2026-03-01T08:59:59.000Z",${who},"device.update","csv","","first\r\nline","device",${from},"{""a"":1}"`,
      '',
    ].join('\n'),
  )
})

const formulas = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  '\nx',
  '＝1',
  ' =1',
  '\u00a0=1',
  '\u200b=1',
  '\ufeff=1',
  '\v=1',
]
test.each(formulas)('a cell that begins like %j is neutralised', async (name) => {
  writer(app)({ orgId: own.org.id, resourceType: 'formula', resourceName: name, resourceId: 'a=b' })
  const { text } = await csvOf({ ...only('formula'), columns: ['resourceId', 'resourceName'] })
  expect(text.startsWith(`resourceId,resourceName\n"a=b","'${name}"\n`)).toBe(true)
})

test('a formula after a semicolon inside a cell is neutralised', async () => {
  writer(app, ada('x;=HYPERLINK("http://evil.test")'))({ orgId: own.org.id, resourceType: 'semicolon' })
  const { text } = await csvOf({ ...only('semicolon'), columns: ['userAgent'] })
  expect(text).toBe(`userAgent\n"x;'=HYPERLINK(""http://evil.test"")"\n`)
})

test('an export is audited with its filters before the first byte is sent', async () => {
  const filters = { resource: 'nothing of the kind', orgId: own.org.id }
  const { text } = await csvOf({ filters, columns: ['id', 'details'], includeDetails: false })
  expect(text).toBe('id\n')
  expect(auditOf(app, 'audit_logs.export').at(-1)).toMatchObject({
    org_id: own.org.id,
    actor_id: own.admin.userId,
    resource_type: 'audit_log',
    details: { format: 'csv', filters, columns: ['id'], includeDetails: false },
  })
  expect((await csvOf({})).text, 'it stands in its own file').toContain('"audit_logs.export"')
})

test('an export by a member of an organization is recorded in the log of that organization', async () => {
  regrant(app, { name: 'Org Admin', scope: 'organization' }, ['audit:read', 'audit:export'])
  const olaf = await person(app, { email: 'olaf@x.test', scope: 'organization', orgId: own.org.id })
  const { text } = await csvOf({ columns: ['action', 'actorEmail'] }, olaf)
  expect(text).toContain('"audit_logs.export","olaf@x.test"')
  expect(auditOf(app, 'audit_logs.export').at(-1)).toMatchObject({ org_id: own.org.id, actor_id: olaf.id })
})

test('a JSON export has the events and their number', async () => {
  writer(app)({ orgId: own.org.id, resourceType: 'json', resourceName: 'one' })
  writer(app)({ orgId: own.org.id, resourceType: 'json', resourceName: 'two' })
  const asked = (body: object) => app.call(exportAuditLog, { body: { ...only('json'), ...body } } as never, asAda())
  const { body, headers } = await asked({})
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(body).toMatchObject({
    data: [{ resource: { name: 'two' }, category: 'system', details: {} }, { resource: { name: 'one' } }],
    total: 2,
  })
  expect((await asked({ includeDetails: false })).body).not.toHaveProperty('data[0].details')
  expect((await asked({ columns: ['resourceName', 'result'] })).body).toEqual({
    data: [
      { resourceName: 'two', result: 'success' },
      { resourceName: 'one', result: 'success' },
    ],
    total: 2,
  })
  expect((await asked({ filters: { resource: 'nothing of the kind' } })).body).toEqual({ data: [], total: 0 })
  expect((await asked({ dateRange: { to: '2020-01-01T00:00:00Z' } })).body).toEqual({ data: [], total: 0 })
})

test('the download covers everybody or one user', async () => {
  const bo = await person(app, { email: 'bo@acme.test', scope: 'partner', partnerId: own.admin.partnerId })
  const download = async (query: object) => {
    const { body } = await app.call(downloadAuditLog, { query } as never, asAda())
    return String(body).trimEnd().split('\n')
  }
  expect(await download({ columns: 'action, nonsense ,result', userId: bo.id })).toEqual(['action,result'])
  writer(app, { ...ada(), userId: bo.id } as never)({ orgId: own.org.id, action: 'test.by-bo' })
  expect(await download({ columns: 'action', userId: bo.id })).toEqual(['action', '"test.by-bo"'])
  expect((await download({ columns: 'nonsense,', userId: bo.id }))[0], 'no name that is one: all of them').toBe(
    auditColumns.join(','),
  )
  const [head, ...rows] = await download({ includeDetails: 'false' })
  expect(head).toBe(auditColumns.filter((column) => column !== 'details').join(','))
  expect(rows.length).toBeGreaterThan(5)
})

test('an export takes audit:export, a second factor where one is held, and an organization in reach', async () => {
  const other = await otherCompany(app)
  const orgId = other.org.id
  for (const [endpoint, input] of [
    [exportAuditLog, { body: { filters: { orgId } } }],
    [downloadAuditLog, { query: { orgId } }],
  ] as const) {
    const { status, body } = await app.call(endpoint, input as never, asAda())
    expect([status, (body as { code: string }).code]).toEqual([403, 'org_access_denied'])
  }
  const foreign = await csvOf({}, other.admin)
  expect(foreign.text).toContain(other.org.name)
  expect(foreign.text).not.toContain(own.org.id)
  for (const [field, body] of [
    ['columns.0', { columns: ['checksum'] }],
    ['dateRange.to', { dateRange: { from: '2026-02-02T00:00:00Z', to: '2026-02-01T00:00:00Z' } }],
  ] as const) {
    const refused = await app.call(exportAuditLog, { body } as never, asAda())
    const { fieldErrors } = (refused.body as { details: { fieldErrors: object } }).details
    expect([refused.status, Object.keys(fieldErrors)]).toEqual([400, [field]])
  }
})

// --- over a real connection ------------------------------------------------------------------------------------

/** 20 MB: more than any buffer on the way can take. */
const many = 4000
const fillTheLog = (resourceType: string) => bulk(app, own.org.id, many, resourceType, 'x'.repeat(5000))

async function download(resource: string): Promise<IncomingMessage> {
  const { server } = app.app.fastify
  if (!server.listening) await app.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${own.admin.token}`, 'content-type': 'application/json' }
    request({ host: '127.0.0.1', port, method: 'POST', path: '/api/v1/audit-logs/export', headers }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ format: 'csv', filters: { resource } }))
  })
}

test('a slow reader pauses the export and receives all of it in the end', async () => {
  fillTheLog('slow')
  const reply = await download('slow')
  await pause(300)
  // Older than all others: only an export that has not got there yet finds it.
  writer(app)({
    orgId: own.org.id,
    resourceType: 'slow',
    resourceName: 'last of all',
    timestamp: '2020-01-01T00:00:00.000Z',
  })
  let text = ''
  for await (const chunk of reply.setEncoding('utf8')) text += chunk
  const lines = text.trimEnd().split('\n')
  expect(lines).toHaveLength(1 + many + 1)
  expect(lines.at(-1)).toContain('last of all')
})

test('a reader that disconnects ends its export, and others continue', async () => {
  fillTheLog('left')
  const piece = vi.spyOn(app.db, 'all')
  const reply = await download('left')
  reply.destroy()
  let read = -1
  for (; read !== piece.mock.calls.length; await pause(200)) read = piece.mock.calls.length
  expect(read, 'a hundred events at once').toBeLessThan(many / 100)
  piece.mockRestore()
  expect(auditOf(app, 'audit_logs.export').at(-1)?.details).toMatchObject({ filters: { resource: 'left' } })
  expect((await csvOf(only('nothing of the kind'))).status).toBe(200)
})

test('a HEAD request for the export reads no events', async () => {
  const piece = vi.spyOn(app.db, 'all')
  const headers = { authorization: `Bearer ${own.admin.token}` }
  const answer = await app.inject({ method: 'HEAD', url: '/api/v1/audit-logs/export', headers })
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  await pause(50)
  expect(piece.mock.calls.map(([query]) => query.compile().sql).filter((text) => text.includes('json_each'))).toEqual(
    [],
  )
  piece.mockRestore()
})

test('exports and downloads share a rate limit per user', async () => {
  await using busy = await testApp({ env: { HOMEPORT_LIMIT_AUDIT_EXPORT: '2/60' } })
  const { admin } = await company(busy)
  const exporting = () => busy.call(exportAuditLog, { body: {} }, admin)
  const downloading = () => busy.call(downloadAuditLog, {}, admin)
  const answers = [await exporting(), await downloading(), await exporting(), await downloading()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429])
  expect(auditOf(busy, 'audit_logs.export')).toHaveLength(2)
  const colleague = await person(busy, { email: 'bo@x.test', scope: 'partner', partnerId: admin.partnerId })
  expect((await busy.call(exportAuditLog, { body: {} }, colleague)).status).toBe(200)
})
