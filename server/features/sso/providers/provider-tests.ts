import type { testSsoProvider } from '../../../../shared/api/sso-providers.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import { keysOf } from '../../../../shared/objects.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Discovered } from '../outbound/index.ts'
import { ownerOf, type Provider } from '../provider/store.ts'
import { endpointColumns } from './endpoints.ts'
import type { IssuerDiscovery } from './issuer-discovery.ts'
import { providerEvent } from './provider-changes.ts'
import type { Providers } from './providers.ts'
import type { ProviderViews } from './views.ts'

type Report = ReplyOf<typeof testSsoProvider>

interface Dependencies {
  audit: Audit
  issuerDiscovery: IssuerDiscovery
  providers: Providers
  views: ProviderViews
}

/** Tests a provider by a discovery; nothing is saved. */
export class ProviderTests {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  async test(actor: UserActor, id: string): Promise<Report> {
    const { audit, issuerDiscovery, providers, views } = this.#dependencies
    const row = providers.find(actor, id, 'test')
    if (row.type !== 'oidc') throw new AppError('sso_test_oidc_only')
    if (row.issuer === null) throw new AppError('sso_provider_incomplete', { success: false })
    const answer = await issuerDiscovery.ask(actor, row.issuer, ownerOf(row))
    if ('error' in answer) {
      audit(actor, providerEvent('test', row, { reason: answer.error }, 'failure'))
      const message = `OIDC discovery failed: ${answer.error}`
      throw new AppError('sso_test_failed', { success: false, error: message, message })
    }
    const drift = driftOf(row, answer.found)
    audit(actor, providerEvent('test', row, { drift }, 'success'))
    return {
      success: true,
      message:
        drift.length > 0 ? 'The identity provider answered, with other endpoints' : 'The identity provider answered',
      discovery: {
        issuer: answer.found.issuer,
        authorizationEndpoint: answer.found.authorizationUrl,
        tokenEndpoint: answer.found.tokenUrl,
        userInfoEndpoint: answer.found.userInfoUrl,
        jwksUri: answer.found.jwksUrl,
      },
      drift,
      network: views.one(row).network,
    }
  }
}

/** Stored endpoints that differ from those of the discovery document. */
function driftOf(row: Provider, found: Discovered): Report['drift'] {
  return keysOf(endpointColumns).filter((name) => {
    const stored = row[endpointColumns[name]]
    return stored !== null && stored !== found[name]
  })
}
