import type { SsoIdentity } from '../../../../shared/api/sso-links.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { findSession, findUser, isPasswordClosed, placesOf, ssoEntranceOf, type User } from '../../identity/index.ts'
import type { Journeys } from '../sign-in/journeys.ts'
import type { Readiness } from '../sign-in/readiness.ts'
import { aboutProvider, findProvider, ownerOf, type Provider } from '../store.ts'

const profilePath = '/settings/profile'

interface Parts {
  db: Database
  audit: Audit
  limits: RateLimits
  journeys: Journeys
  readiness: Readiness
}

/** The identity providers that somebody's own account is connected with. */
export class Links {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Those of the tenant that the caller works in; operators work in none. */
  options(actor: UserActor) {
    const [column, owner] =
      actor.scope === 'organization' ? (['org_id', actor.orgId] as const) : (['partner_id', actor.partnerId] as const)
    if (owner === null) return []
    const linked = new Set(this.#identitiesOf(actor.userId).map(({ providerId }) => providerId))
    return this.#parts.db
      .all(
        q
          .selectFrom('sso_providers')
          .select(['id', 'name', 'type'])
          .where(column, '=', owner)
          .where('status', '!=', 'inactive')
          .orderBy('created_at')
          .orderBy('id'),
      )
      .map((provider) => ({ ...provider, linked: linked.has(provider.id) }))
  }

  identities(actor: UserActor): SsoIdentity[] {
    return this.#identitiesOf(actor.userId)
  }

  /** Where to send the browser, and the state that its cookie is made of. */
  async start(actor: UserActor, providerId: string): Promise<{ address: string; state: string }> {
    const { audit, limits, journeys, readiness } = this.#parts
    const found = this.#connectable(actor, providerId)
    if (found.type !== 'oidc') throw new AppError('sso_link_oidc_only')
    limits.consume('sso_login_target', actor.userId)
    const provider = await readiness.ready(found)
    const user = this.#userOf(actor)
    const link = {
      userId: user.id,
      authEpoch: user.auth_epoch,
      mfaEpoch: user.mfa_epoch,
      sessionId: actor.sessionId,
    }
    const way = await journeys.begin(provider, { redirect: profilePath, loginHint: user.email, link })
    audit(actor, { ...aboutProvider(provider), action: 'sso.identity.link_started' })
    return way
  }

  unlink(actor: UserActor, id: string): void {
    const { db, audit } = this.#parts
    db.transaction(() => {
      const identity = this.#identitiesOf(actor.userId).find((one) => one.id === id)
      const provider = identity && findProvider(db, identity.providerId)
      if (!provider) throw new AppError('sso_identity_not_found')
      // By the word of one tenant nobody is cut off from another.
      if (!mayDisconnect(db, actor.sessionId, provider)) {
        const { loginUrl = null } = ssoEntranceOf(db, ownerOf(provider)) ?? {}
        throw new AppError('sign_in_again', { loginUrl })
      }
      if (insistsOn(db, provider, actor.userId)) throw new AppError('sso_required')
      if (!this.#hasOtherWayIn(this.#userOf(actor), id)) throw new AppError('last_sign_in_method')
      db.run(q.deleteFrom('user_sso_identities').where('id', '=', id))
      audit(actor, { ...aboutProvider(provider), action: 'sso.identity.unlinked' })
    })
  }

  /** One that the caller's account may be connected with: of the tenant they work in, and not off. */
  #connectable(actor: UserActor, id: string): Provider {
    const { db } = this.#parts
    const provider = findProvider(db, id)
    if (!provider || provider.status === 'inactive') throw new AppError('sso_provider_not_found')
    const { orgId, partnerId } = ownerOf(provider)
    const isOwn =
      actor.scope === 'organization'
        ? orgId === actor.orgId
        : actor.scope === 'partner' && partnerId === actor.partnerId
    if (isOwn) return provider
    const org = q
      .selectFrom('organizations')
      .select('partner_id')
      .where('id', '=', orgId ?? '')
    const company = partnerId ?? db.first(org)?.partner_id
    const isForeign = actor.scope !== 'system' && company !== actor.partnerId
    throw new AppError(isForeign ? 'sso_provider_not_found' : 'sso_link_denied')
  }

  /** What is left opens a door now: a password that is taken somewhere, or a provider that is on. */
  #hasOtherWayIn(user: User, id: string): boolean {
    const { db } = this.#parts
    if (user.password_hash !== null && !isPasswordClosed(db, user)) return true
    const other = q
      .selectFrom('user_sso_identities')
      .innerJoin('sso_providers', 'sso_providers.id', 'user_sso_identities.provider_id')
      .select('user_sso_identities.id')
      .where('user_id', '=', user.id)
      .where('user_sso_identities.id', '!=', id)
      .where('status', '=', 'active')
    return db.first(other) !== undefined
  }

  #identitiesOf(userId: string): SsoIdentity[] {
    return this.#parts.db.all(
      q
        .selectFrom('user_sso_identities')
        .innerJoin('sso_providers', 'sso_providers.id', 'user_sso_identities.provider_id')
        .select([
          'user_sso_identities.id',
          'provider_id as providerId',
          'name as providerName',
          'type as providerType',
          'email',
          'last_login_at as lastLoginAt',
          'user_sso_identities.created_at as createdAt',
        ])
        .where('user_id', '=', userId)
        .orderBy('user_sso_identities.created_at')
        .orderBy('user_sso_identities.id'),
    )
  }

  #userOf({ userId }: UserActor): User {
    const user = findUser(this.#parts.db, userId)
    if (!user) throw new AppError('invalid_token')
    return user
  }
}

/** Whoever came through an identity provider has a say in the connections with its owner's. */
function mayDisconnect(db: Database, sessionId: string, { org_id, partner_id }: Provider): boolean {
  const cameBy = findSession(db, sessionId)?.sso_provider_id ?? null
  const own = cameBy === null ? null : findProvider(db, cameBy)
  return own === null || (own?.org_id === org_id && own.partner_id === partner_id)
}

/** Whether this provider is the only way in to one of the tenants of a user. */
function insistsOn(db: Database, { status, enforce_sso, org_id, partner_id }: Provider, userId: string): boolean {
  if (status !== 'active' || !enforce_sso) return false
  return placesOf(db, userId).some((place) =>
    org_id === null ? place.orgId === null && place.partnerId === partner_id : place.orgId === org_id,
  )
}
