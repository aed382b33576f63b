import type { loginContext } from '../../../../shared/api/login-branding.ts'
import type { ssoCheck, ssoDiscovery } from '../../../../shared/api/sso-sign-in.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { isShown } from '../../../db/org-status.ts'
import { q } from '../../../db/query.ts'
import { enforcesSso, oldestActiveProvider, ssoLoginOf } from '../../access/index.ts'
import { isOwnerUsable } from '../provider/store.ts'
import { emailDomain } from './resolution.ts'

/** Which identity providers a sign-in page offers. Answers anonymous callers, so it must not reveal who has an account. */
export class SignInLookups {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  check(orgId: string): ReplyOf<typeof ssoCheck> {
    const owner = { orgId, partnerId: null }
    const provider = isOwnerUsable(this.#db, owner) ? oldestActiveProvider(this.#db, owner) : undefined
    if (!provider) return { ssoEnabled: false }
    const { id, name, type, enforce_sso } = provider
    const loginUrl = `/api/v1/sso/login/${orgId}`
    return { ssoEnabled: true, provider: { id, name, type }, enforceSSO: enforce_sso === 1, loginUrl }
  }

  /** By the domain of the address alone, if exactly one organization has verified it. */
  discover(email: string): ReplyOf<typeof ssoDiscovery> {
    const orgId = this.#verifiedBy(emailDomain(email))
    if (orgId === null) return { sso: null }
    const owner = { orgId, partnerId: null }
    const login = isOwnerUsable(this.#db, owner) ? ssoLoginOf(this.#db, owner) : null
    return { sso: login && { ...login, enforceSSO: enforcesSso(this.#db, owner) } }
  }

  /** What the sign-in page of a partner offers its own members. */
  readonly ofPartner = (partnerId: string): ReplyOf<typeof loginContext>['partnerSso'] => {
    const owner = { orgId: null, partnerId }
    const login = isOwnerUsable(this.#db, owner) ? ssoLoginOf(this.#db, owner) : null
    const provider = oldestActiveProvider(this.#db, owner)
    const isReady = provider?.issuer && provider.client_id && provider.client_secret
    return login && isReady ? { ...login, enforceSSO: provider.enforce_sso === 1 } : null
  }

  #verifiedBy(domain: string | null): string | null {
    const [only, ...others] = this.#db.all(
      q
        .selectFrom('sso_verified_domains')
        .innerJoin('organizations', 'organizations.id', 'sso_verified_domains.org_id')
        .select('org_id')
        .where('domain', '=', domain)
        .where('verified_at', 'is not', null)
        .where(isShown())
        .limit(2),
    )
    return only && others.length === 0 ? only.org_id : null
  }
}
