import type { ListedSsoProvider, listSsoProviders, SsoProvider } from '../../../../shared/api/sso-providers.ts'
import type { QueryOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { assertAccess, organizationFor, type Purpose } from '../provider/access.ts'
import { findProvider, type Provider } from '../provider/store.ts'
import type { ProviderViews } from './views.ts'

/** Reads the providers that the caller has access to. */
export class Providers {
  readonly #db: Database
  readonly #views: ProviderViews

  constructor(db: Database, views: ProviderViews) {
    this.#db = db
    this.#views = views
  }

  list(actor: UserActor, { orgId, scope, partnerId }: QueryOf<typeof listSsoProviders>): ListedSsoProvider[] {
    const providers = q.selectFrom('sso_providers').selectAll().orderBy('created_at').orderBy('id')
    const owned =
      scope === 'partner'
        ? providers.where('partner_id', '=', companyOf(actor, partnerId))
        : providers.where('org_id', '=', organizationFor(this.#db, actor, [orgId], 'read'))
    return this.#db.all(owned).map(this.#views.listed)
  }

  read(actor: UserActor, id: string): SsoProvider {
    return this.#views.one(this.find(actor, id, 'read'))
  }

  /** @throws AppError `sso_provider_not_found`, also for a provider of another tenant */
  find(actor: UserActor, id: string, to: Purpose): Provider {
    const row = findProvider(this.#db, id)
    if (!row) throw new AppError('sso_provider_not_found')
    assertAccess(this.#db, actor, row, to, 'sso_provider_not_found')
    return row
  }
}

function companyOf(actor: UserActor, partnerId: string | undefined): string {
  const company = actor.scope === 'system' ? partnerId : actor.scope === 'partner' ? actor.partnerId : null
  if (!company) throw new AppError('sso_partner_scope_required')
  return company
}
