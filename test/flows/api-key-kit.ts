import { expect, onTestFinished } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { ApiKeyTable } from '../../server/features/api-keys/tables.ts'
import {
  createApiKey,
  listApiKeys,
  readApiKey,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../shared/api/api-keys.ts'
import { listDevices } from '../../shared/api/devices.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { company, type Person, person } from '../helpers/factories.ts'
import { type CallOptions, testApp } from '../helpers/test-app.ts'

export const withKey = (key: string, headers: Record<string, string> = {}): CallOptions => ({
  headers: { 'x-api-key': key, ...headers },
})

/** A company with a device and an administrator, and the calls about API keys. */
export async function keyScene(options: Parameters<typeof testApp>[0] = {}) {
  const app = await testApp(options)
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { admin, org, site, device } = await company(app)
  const create = (body: Partial<BodyOf<typeof createApiKey>> = {}, token = admin.token) =>
    app.call(createApiKey, { body: { orgId: org.id, name: 'Inventory', scopes: ['devices:read'], ...body } }, { token })
  return {
    app,
    admin,
    org,
    site,
    device,
    create,
    /** Makes a key or fails the test. */
    made: async (body: Partial<BodyOf<typeof createApiKey>> = {}, token = admin.token) => {
      const answer = await create(body, token)
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      return answer.body
    },
    colleague: (who: Partial<Person> = {}) =>
      person(app, { email: 'colleague@x.test', scope: 'partner', partnerId: admin.partnerId, ...who }),
    list: (query: Record<string, string> = {}, token = admin.token) => app.call(listApiKeys, { query }, { token }),
    read: (id: string, token = admin.token) => app.call(readApiKey, { params: { id } }, { token }),
    patch: (id: string, body: BodyOf<typeof updateApiKey>, token = admin.token) =>
      app.call(updateApiKey, { params: { id }, body }, { token }),
    revoke: (id: string, token = admin.token) => app.call(revokeApiKey, { params: { id } }, { token }),
    rotate: (id: string, token = admin.token) => app.call(rotateApiKey, { params: { id } }, { token }),
    /** A program that uses the key: it asks for the devices. */
    use: (key: string, headers: Record<string, string> = {}) => app.call(listDevices, {}, withKey(key, headers)),
    row: (id: string) => app.db.first(q.selectFrom('api_keys').selectAll().where('id', '=', id)),
    set: (id: string, values: Partial<Pick<ApiKeyTable, 'expires_at' | 'created_by'>>) =>
      app.db.run(q.updateTable('api_keys').set(values).where('id', '=', id)),
  }
}
