import { createSsoProvider, type SsoProvider, setSsoProviderStatus } from '../../shared/api/sso-providers.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import type { TestApp } from './test-app.ts'

type Settings = Partial<BodyOf<typeof createSsoProvider>>

/**
 * An identity provider set up through the API and switched on; `token` has shown a second factor. Of the organization
 * `orgId`, or of the whole company with `ownerScope: 'partner'`.
 */
export async function readyProvider(
  app: TestApp,
  token: string,
  idp: OpenIdProvider,
  { status = 'active', ...settings }: Settings & { status?: 'active' | 'testing' | 'inactive' } = {},
): Promise<SsoProvider> {
  const { issuer, clientId, clientSecret } = idp
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
 * before anybody signs in: sessions would be over.
 */
export const atRealTime = (app: TestApp): void => app.clock.jump(Date.now() - app.clock.now())
