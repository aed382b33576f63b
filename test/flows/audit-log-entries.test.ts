import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listAuditEntries, listAuditEvents } from '../../shared/api/audit-log.ts'
import { importContacts } from '../../shared/api/contact-import.ts'
import { showFactor } from '../contract/stage.ts'
import { writer } from '../helpers/audit-writer.ts'
import { company, organizationOf, otherCompany } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { bulk } from './audit-kit.ts'

/** The audit log with imports and repetitions folded. */

let app: TestApp
let own: Awaited<ReturnType<typeof company>>
let other: Awaited<ReturnType<typeof otherCompany>>
beforeAll(async () => {
  app = await testApp()
  own = await company(app)
  other = await otherCompany(app)
  showFactor(app, own.admin.userId)
})
afterAll(() => app[Symbol.asyncDispose]())

const entries = async (query: Record<string, string>, token = own.admin.token) => {
  const { status, body } = await app.call(listAuditEntries, { query }, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
/** The events that an entry was folded from. */
const eventsOf = async (id: string, range: Record<string, string>, token = own.admin.token) => {
  const query = { foldedWith: id, limit: '100', ...range }
  const { status, body } = await app.call(listAuditEvents, { query }, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

test('an import is one entry that opens to its rows, across organizations', async () => {
  const second = await organizationOf(app, own.admin.token, 'Paris')
  const rows = Array.from({ length: 60 }, (_, n) => ({
    organizationId: n % 2 ? second.id : own.org.id,
    name: `Imported ${n}`,
    externalId: String(n),
  }))
  const commit = () => app.call(importContacts, { body: { rows, mode: 'update' } as never }, { token: own.admin.token })
  expect((await commit()).body.imported).toHaveLength(60)
  const part = (n: number) => ({ organizationId: own.org.id, name: `In parts ${n}`, externalId: `part ${n}` })
  const importId = randomUUID()
  for (const n of [1, 2])
    await app.call(importContacts, { body: { rows: [part(n)], importId } as never }, { token: own.admin.token })
  expect((await entries({ resource: 'In parts' })).data.map(({ folded }) => folded?.count)).toEqual([2])
  app.clock.advance(1)
  rows.splice(3)
  for (const row of rows) row.name = `${row.name} again`
  expect((await commit()).body.updated).toHaveLength(3)
  const { data, pagination } = await entries({ resource: 'Imported' })
  expect(data.map(({ folded }) => folded)).toEqual([
    expect.objectContaining({ as: 'import', count: 3, organizations: 2 }),
    expect.objectContaining({ as: 'import', count: 60, organizations: 2 }),
  ])
  expect(pagination).toEqual({ page: 1, limit: 50, eventsBefore: 0, isLast: true })
  const [, first] = data
  const opened = await eventsOf(first?.id ?? '', { from: first?.folded?.since ?? '', to: first?.timestamp ?? '' })
  expect(opened.pagination.total).toBe(60)
  expect(new Set(opened.data.map(({ action }) => action))).toEqual(new Set(['contact.create']))
  // One that is looked for is found by itself.
  const [found] = (await entries({ q: 'Imported 41' })).data
  expect([found?.resource.name, found?.folded]).toEqual(['Imported 41', null])
  // A reader of one of the organizations only sees its part of the import.
  const inBerlin = await entries({ resource: 'Imported', orgId: own.org.id })
  expect(inBerlin.data.map(({ folded }) => [folded?.count, folded?.organizations])).toEqual([
    [2, 1],
    [30, 1],
  ])
})

test('a device that comes and goes is one entry, and opens to its status changes', async () => {
  const write = writer(app)
  const change = { action: 'agent.heartbeat.state_change', resourceType: 'flapping', orgId: own.org.id }
  for (let n = 0; n < 14; n++) {
    write({ ...change, resourceId: 'a', resourceName: 'Laptop' })
    if (n % 5 === 0) write({ ...change, resourceId: 'b', resourceName: 'Desktop' })
    app.clock.advance(60_000)
  }
  const { data } = await entries({ resource: 'flapping' })
  expect(data.map(({ resource, folded }) => [resource.name, folded?.count])).toEqual([
    ['Laptop', 14],
    ['Desktop', 3],
  ])
  const [laptop] = data
  const range = { from: laptop?.folded?.since ?? '', to: laptop?.timestamp ?? '' }
  const opened = await eventsOf(laptop?.id ?? '', range)
  expect(opened.data.map(({ resource }) => resource.name)).toEqual(Array(14).fill('Laptop'))
  expect(opened.data[0]?.id).toBe(laptop?.id)
  expect(opened.data.at(-1)?.timestamp).toBe(laptop?.folded?.since)
  // The same after the result of the search was kept.
  expect((await entries({ resource: 'flapping' })).data).toEqual(data)
})

test('pages have as many entries as asked for, and together every event once', async () => {
  bulk(app, own.org.id, 130, 'many')
  const write = writer(app)
  for (let n = 0; n < 40; n++) write({ resourceType: 'many', resourceId: `r${n % 8}`, orgId: own.org.id })
  let [page, events] = [1, 0]
  for (;;) {
    const { data, pagination } = await entries({ resource: 'many', page: String(page), limit: '20' })
    expect(pagination.eventsBefore).toBe(events)
    events += data.reduce((sum, { folded }) => sum + (folded?.count ?? 1), 0)
    if (pagination.isLast) break
    expect(data).toHaveLength(20)
    page++
  }
  expect([page, events]).toEqual([7, 170])
})

test('nothing of another company is folded in or opened', async () => {
  const write = writer(app)
  const event = { action: 'test.shared', resourceType: 'shared', resourceId: 'x', resourceName: 'x' }
  write({ ...event, partnerId: own.admin.partnerId })
  write({ ...event, partnerId: other.partnerId })
  write({ ...event, partnerId: own.admin.partnerId })
  const [mine] = (await entries({ resource: 'shared' })).data
  expect(mine?.folded?.count).toBe(2)
  const theirs = (await entries({ resource: 'shared' }, other.admin.token)).data
  expect(theirs.map(({ folded }) => folded)).toEqual([null])
  const range = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
  expect((await eventsOf(mine?.id ?? '', range)).pagination.total).toBe(2)
  expect((await eventsOf(mine?.id ?? '', range, other.admin.token)).data).toEqual([])
  expect(
    (await app.call(listAuditEntries, { query: { orgId: other.org.id } }, { token: own.admin.token })).status,
  ).toBe(403)
})
