import * as contract from '../../../../shared/api/sso-providers.ts'
import type { Database } from '../../../db/database.ts'
import type { Http } from '../../../platform/http/http.ts'
import { searches } from '../../../platform/http/searches.ts'
import { presets } from './presets.ts'
import type { ProviderChanges } from './provider-changes.ts'
import type { ProviderTests } from './provider-tests.ts'
import type { Providers } from './providers.ts'
import { readinessOf } from './readiness.ts'

interface Services {
  db: Database
  callbackUrl: () => string
  providers: Providers
  changes: ProviderChanges
  tests: ProviderTests
}

export function providerRoutes(http: Http, { db, callbackUrl, providers, changes, tests }: Services): void {
  const search = searches()
  http.user(contract.listSsoPresets, () => ({ data: [...presets], callbackUrl: callbackUrl() }))
  http.user(contract.listSsoProviders, ({ actor, query }) => ({ data: providers.list(actor, query) }))
  http.user(contract.readSsoProvider, ({ actor, params }) => ({ data: providers.read(actor, params.id) }))
  http.user(contract.createSsoProvider, ({ actor, query, body }) => changes.create(actor, query.orgId, body))
  http.user(contract.updateSsoProvider, ({ actor, params, body }) => changes.update(actor, params.id, body))
  http.user(contract.deleteSsoProvider, ({ actor, params }) => {
    changes.remove(actor, params.id)
    return { success: true as const }
  })
  http.user(contract.setSsoProviderStatus, ({ actor, params, body }) =>
    changes.setStatus(actor, params.id, body.status),
  )
  http.user(contract.testSsoProvider, ({ actor, params }) => tests.test(actor, params.id))
  http.user(contract.ssoReadiness, async ({ actor, params, reply }) => ({
    data: await search.steps(actor, reply, readinessOf(db, providers, actor, params.id)),
  }))
}
