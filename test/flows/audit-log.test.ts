import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Actor } from '../../server/platform/actor.ts'
import { listAuditEvents, listAuditLog, readAuditEvent, searchAuditLog } from '../../shared/api/audit-log.ts'
import { createOrganization } from '../../shared/api/organizations.ts'
import { company, otherCompany, person, siteOf } from '../helpers/factories.ts'
import { setDevice } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { writer } from './audit-kit.ts'

let app: TestApp
let own: Awaited<ReturnType<typeof company>>
let other: Awaited<ReturnType<typeof otherCompany>>
beforeAll(async () => {
  app = await testApp()
  own = await company(app)
  other = await otherCompany(app)
})
afterAll(() => app[Symbol.asyncDispose]())

const asAda = () => ({ token: own.admin.token })
const events = async (query: Record<string, string>, token = own.admin.token) => {
  const { status, body } = await app.call(listAuditEvents, { query }, { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const names = async (query: Record<string, string>, token?: string) =>
  (await events(query, token)).data.map(({ resource }) => resource.name)
const origin = { ip: '10.1.2.3', userAgent: 'Firefox' }
const ada = (): Actor =>
  ({ kind: 'user', userId: own.admin.userId, email: own.admin.email, partnerId: own.admin.partnerId, origin }) as unknown as Actor

test('an event has the shapes that clients of the public API know', async () => {
  const write = writer(app, ada())
  write({ action: 'device.update', resourceType: 'device', resourceId: own.device.deviceId, resourceName: 'shaped', orgId: own.org.id, details: { changedFields: ['tags'] } })
  const { body } = await app.call(listAuditLog, { query: { resource: 'shaped' } }, asAda())
  const common = { id: expect.any(String), timestamp: expect.any(String), action: 'device.update', ipAddress: '10.1.2.3', userAgent: 'Firefox', initiatedBy: 'manual' }
  expect(body).toEqual({
    entries: [
      {
        ...common,
        resource: 'shaped',
        resourceType: 'device',
        details: '{"changedFields":["tags"]}',
        sessionId: null,
        user: { name: 'Ada Admin', email: own.admin.email, role: 'user', department: '' },
        changes: { before: {}, after: { changedFields: ['tags'] } },
      },
    ],
    pagination: { page: 1, limit: 50, total: 1, totalPages: 1 },
  })
  const full = {
    ...common,
    orgId: own.org.id,
    user: { id: own.admin.userId, name: 'Ada Admin', email: own.admin.email, role: 'user' },
    resource: { type: 'device', id: own.device.deviceId, name: 'shaped' },
    category: 'device',
    result: 'success',
    details: { changedFields: ['tags'] },
  }
  const { data, pagination } = await events({ resource: 'shaped' })
  expect(data).toEqual([full])
  expect(pagination).toEqual(body.pagination)
  const one = await app.call(readAuditEvent, { params: { id: data[0]?.id ?? '' } }, asAda())
  expect([one.status, one.body]).toEqual([200, full])
})
