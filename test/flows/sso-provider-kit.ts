import { expect } from 'vitest'
import { q } from '../../server/db/query.ts'
import {
  createSsoProvider,
  deleteSsoProvider,
  listSsoProviders,
  readSsoProvider,
  type SsoProvider,
  setSsoProviderStatus,
  testSsoProvider,
  updateSsoProvider,
} from '../../shared/api/sso-providers.ts'
import type { InputOf, QueryOf } from '../../shared/endpoint.ts'
import { bootstrapped, member, organizationOf, type Person } from '../helpers/factories.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { statusAndError } from './group-kit.ts'

export type Creation = Partial<NonNullable<InputOf<typeof createSsoProvider>['body']>>
export type Update = NonNullable<InputOf<typeof updateSsoProvider>['body']>

/** An address that does not resolve. */
export const nowhere = 'https://idp.invalid'

/** The calls about identity providers, with one user's token. */
export const providerCalls = (app: TestApp, token: string, orgId: string) => ({
  create: (body: Creation = {}, query: { orgId?: string } = {}) =>
    app.call(createSsoProvider, { query, body: { name: 'Corp', type: 'oidc', orgId, ...body } }, { token }),
  read: (id: string) => app.call(readSsoProvider, { params: { id } }, { token }),
  list: (query: Partial<QueryOf<typeof listSsoProviders>> = {}) => app.call(listSsoProviders, { query }, { token }),
  update: (id: string, body: Update) => app.call(updateSsoProvider, { params: { id }, body }, { token }),
  setStatus: (id: string, status: SsoProvider['status']) =>
    app.call(setSsoProviderStatus, { params: { id }, body: { status } }, { token }),
  test: (id: string) => app.call(testSsoProvider, { params: { id } }, { token }),
  remove: (id: string) => app.call(deleteSsoProvider, { params: { id } }, { token }),
})

/** A company with an organization; its administrator has shown a second factor. */
export async function providerScene(env: Record<string, string> = {}) {
  const app = await testApp({ env: { HOMEPORT_LIMIT_SSO_PROBE: '0/60', ...env } })
  const admin = await bootstrapped(app)
  const org = await organizationOf(app, admin.token)
  const token = await sessionOf(app, admin.userId, 'totp')
  /** Another user who has shown a second factor. */
  const somebody = async (who: Person) => {
    const { id } = await member(app, who)
    const theirs = await sessionOf(app, id, 'totp')
    return { id, token: theirs, ...providerCalls(app, theirs, org.id) }
  }
  return {
    app,
    admin: { ...admin, token },
    org,
    somebody,
    ...providerCalls(app, token, org.id),
    /** The row as it is stored. */
    row: (id: string) => app.db.first(q.selectFrom('sso_providers').selectAll().where('id', '=', id)),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** Providers, domains and the number of successes in the audit log, to compare before and after a refused call. */
export const storedState = (app: TestApp) => ({
  providers: app.db.all(q.selectFrom('sso_providers').selectAll().orderBy('id')),
  domains: app.db.all(q.selectFrom('sso_verified_domains').selectAll().orderBy('id')),
  successes: app.db.all(q.selectFrom('audit_logs').select('id').where('result', '=', 'success')).length,
})

/** Expects a call to be refused and to change nothing. */
export async function refuses(app: TestApp, call: () => Promise<{ status: number; body: object }>, wanted: unknown[]) {
  const before = storedState(app)
  expect(statusAndError((await call()) as never)).toEqual(wanted)
  expect(storedState(app)).toEqual(before)
}
