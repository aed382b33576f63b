import type { ListedSsoProvider, listSsoProviders, SsoProvider } from '../../../../shared/api/sso-providers.ts'
import type { QueryOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'
import { assertAccess, organizationFor, type Purpose } from '../access.ts'
import { findProvider, type Provider } from '../store.ts'
import type { ProviderViews } from './views.ts'

/** What providers there are, as far as the caller has to do with them. */
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

  /** @throws AppError `sso_provider_not_found` for one of another company, as for one that is none */
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
