import { q } from '../../server/db/query.ts'
import { createSsoProvider, type SsoProvider, setSsoProviderStatus } from '../../shared/api/sso-providers.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { bootstrapped, member, organizationOf } from './factories.ts'
import { type OpenIdProvider, openIdProvider } from './openid-provider.ts'
import { sessionOf } from './sessions.ts'
import { SsoBrowser } from './sso-browser.ts'
import { type TestApp, testApp } from './test-app.ts'

type Settings = Partial<InputOf<typeof createSsoProvider>['body']> & { status?: 'active' | 'testing' | 'inactive' }

/**
 * An identity provider set up through the API and switched on; `token` has shown a second factor. Of the organization
 * `orgId`, or of the whole company with `ownerScope: 'partner'`.
 */
export async function readyProvider(
  app: TestApp,
  token: string,
  { issuer, clientId, clientSecret }: OpenIdProvider,
  { status = 'active', ...settings }: Settings = {},
): Promise<SsoProvider> {
  const body = { name: 'Corp sign-in', type: 'oidc' as const, issuer, clientId, clientSecret, ...settings }
  const created = await app.call(createSsoProvider, { body }, { token })
  if (created.status !== 201 || created.body.warnings)
    throw new Error(`provider: ${created.status} ${JSON.stringify(created.body)}`)
  if (status === 'inactive') return created.body.data
  const params = { id: created.body.data.id }
  const set = await app.call(setSsoProviderStatus, { params, body: { status } }, { token })
  if (set.status !== 200) throw new Error(`status: ${set.status} ${JSON.stringify(set.body)}`)
  return set.body.data
}

/**
 * Brings the clock of the app to the time of the machine, which real providers put into their tokens. To be called
 * before any sign-in, as sessions would expire.
 */
export const atRealTime = (app: TestApp): void => app.clock.jump(Date.now() - app.clock.now())

interface Scene {
  idp?: Parameters<typeof openIdProvider>[0]
  provider?: Settings
  /** Of the appliance, beside what the provider needs. */
  env?: Record<string, string>
  /** Runs before the appliance discovers the provider. */
  prepare?: (idp: OpenIdProvider) => void
}

/** A company whose organization signs in through a real provider; Alice is one of its people and was never there. */
export async function ssoScene({ idp: wanted, provider: settings, env, prepare }: Scene = {}) {
  const idp = await openIdProvider(wanted)
  prepare?.(idp)
  const app = await testApp({ env: { ...idp.env, ...env }, logs: true })
  atRealTime(app)
  const admin = await bootstrapped(app)
  const token = await sessionOf(app, admin.userId, 'totp')
  const org = await organizationOf(app, admin.token)
  const alice = await member(app, { email: 'alice@corp.test', scope: 'organization', orgId: org.id })
  const provider = await readyProvider(app, token, idp, { orgId: org.id, ...settings })
  const browsers: SsoBrowser[] = []
  return {
    idp,
    app,
    admin: { ...admin, token },
    org,
    alice,
    provider,
    loginUrl: `/api/v1/sso/login/${org.id}`,
    /** A person at a computer of their own. */
    browser(): SsoBrowser {
      const browser = new SsoBrowser(app, idp)
      browsers.push(browser)
      return browser
    },
    /** What the appliance keeps of a sign-in under way. */
    underWay: (callback: URL) =>
      app.db.first(
        q
          .selectFrom('sso_sessions')
          .selectAll()
          .where('state', '=', callback.searchParams.get('state') ?? ''),
      ),
    async [Symbol.asyncDispose]() {
      for (const browser of browsers) await browser[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
      await idp[Symbol.asyncDispose]()
    },
  }
}

export type SsoScene = Awaited<ReturnType<typeof ssoScene>>
