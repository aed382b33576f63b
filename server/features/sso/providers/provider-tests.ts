import type { testSsoProvider } from '../../../../shared/api/sso-providers.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Discovered } from '../outbound/index.ts'
import { ownerOf, type Provider } from '../store.ts'
import type { Discoveries } from './discoveries.ts'
import { endpointColumns } from './endpoints.ts'
import { providerEvent } from './provider-changes.ts'
import type { Providers } from './providers.ts'
import type { ProviderViews } from './views.ts'

type Report = ReplyOf<typeof testSsoProvider>

interface Deps {
  audit: Audit
  discoveries: Discoveries
  providers: Providers
  views: ProviderViews
}

/** Asking the issuer what it says now; nothing is saved. */
export class ProviderTests {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async test(actor: UserActor, id: string): Promise<Report> {
    const { audit, discoveries, providers, views } = this.#deps
    const row = providers.find(actor, id, 'test')
    if (row.type !== 'oidc') throw new AppError('sso_test_oidc_only')
    if (row.issuer === null) throw new AppError('sso_provider_incomplete', { success: false })
    const answer = await discoveries.ask(actor, row.issuer, ownerOf(row))
    if ('error' in answer) {
      audit(actor, providerEvent('test', row, { reason: answer.error }, 'failure'))
      const told = `OIDC discovery failed: ${answer.error}`
      throw new AppError('sso_test_failed', { success: false, error: told, message: told })
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

/** Kept endpoints that are not what the issuer says now. */
function driftOf(row: Provider, found: Discovered): Report['drift'] {
  const names = Object.keys(endpointColumns) as (keyof typeof endpointColumns)[]
  return names.filter((name) => {
    const kept = row[endpointColumns[name]]
    return kept !== null && kept !== found[name]
  })
}
