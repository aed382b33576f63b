import type { SsoIdentity } from '../../../../shared/api/sso-links.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { AppError } from '../../../platform/errors.ts'
import type { RateLimits } from '../../../platform/rate-limit.ts'
import { findUser, isPasswordClosed, membershipDetailsOf, ssoLoginOf, type User } from '../../access/index.ts'
import { findSession } from '../../authentication/index.ts'
import { aboutProvider, findProvider, ownerOf, type Provider } from '../provider/store.ts'
import type { AuthorizationRequests } from '../sign-in/authorization-requests.ts'
import type { ProviderPreparation } from '../sign-in/provider-preparation.ts'

const profilePath = '/settings/profile'

interface Dependencies {
  db: Database
  audit: Audit
  limits: RateLimits
  authorizations: AuthorizationRequests
  preparation: ProviderPreparation
}

/** Connections of the caller's own account with identity providers. */
export class Links {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** The providers of the caller's tenant that their account can be connected with; none for operators. */
  options(actor: UserActor) {
    const [column, owner] =
      actor.scope === 'organization' ? (['org_id', actor.orgId] as const) : (['partner_id', actor.partnerId] as const)
    if (owner === null) return []
    const linked = new Set(this.#identitiesOf(actor.userId).map(({ providerId }) => providerId))
    return this.#dependencies.db
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

  /** @returns the address to send the browser to, and the state to bind to it by a cookie */
  async start(actor: UserActor, providerId: string): Promise<{ address: string; state: string }> {
    const { audit, limits, authorizations, preparation } = this.#dependencies
    const found = this.#connectable(actor, providerId)
    if (found.type !== 'oidc') throw new AppError('sso_link_oidc_only')
    limits.consume('sso_login_target', actor.userId)
    const provider = await preparation.prepare(found)
    const user = this.#userOf(actor)
    const link = {
      userId: user.id,
      authEpoch: user.auth_epoch,
      mfaEpoch: user.mfa_epoch,
      sessionId: actor.sessionId,
    }
    const started = await authorizations.begin(provider, { redirect: profilePath, loginHint: user.email, link })
    audit(actor, { ...aboutProvider(provider), action: 'sso.identity.link_started' })
    return started
  }

  unlink(actor: UserActor, id: string): void {
    const { db, audit } = this.#dependencies
    db.transaction(() => {
      const identity = this.#identitiesOf(actor.userId).find((one) => one.id === id)
      const provider = identity && findProvider(db, identity.providerId)
      if (!provider) throw new AppError('sso_identity_not_found')
      // In a session that one tenant's provider vouched for, a connection with another tenant cannot be removed.
      if (!mayDisconnect(db, actor.sessionId, provider)) {
        const { loginUrl = null } = ssoLoginOf(db, ownerOf(provider)) ?? {}
        throw new AppError('sign_in_again', { loginUrl })
      }
      if (isEnforcedFor(db, provider, actor.userId)) throw new AppError('sso_required')
      if (!this.#hasOtherWayIn(this.#userOf(actor), id)) throw new AppError('last_sign_in_method')
      db.run(q.deleteFrom('user_sso_identities').where('id', '=', id))
      audit(actor, { ...aboutProvider(provider), action: 'sso.identity.unlinked' })
    })
  }

  /** @throws AppError unless it is a provider of the caller's tenant that is not switched off */
  #connectable(actor: UserActor, id: string): Provider {
    const { db } = this.#dependencies
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

  /** Whether the user could still sign in: with a password that some tenant accepts, or through another active provider. */
  #hasOtherWayIn(user: User, id: string): boolean {
    const { db } = this.#dependencies
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
    return this.#dependencies.db.all(
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
    const user = findUser(this.#dependencies.db, userId)
    if (!user) throw new AppError('invalid_token')
    return user
  }
}

/** A session of an identity provider may remove connections with providers of the same owner only. */
function mayDisconnect(db: Database, sessionId: string, { org_id, partner_id }: Provider): boolean {
  const sessionProviderId = findSession(db, sessionId)?.sso_provider_id ?? null
  const own = sessionProviderId === null ? null : findProvider(db, sessionProviderId)
  return own === null || (own?.org_id === org_id && own.partner_id === partner_id)
}

/** Whether one of the user's tenants enforces this provider. */
function isEnforcedFor(db: Database, { status, enforce_sso, org_id, partner_id }: Provider, userId: string): boolean {
  if (status !== 'active' || !enforce_sso) return false
  return membershipDetailsOf(db, userId).some((one) =>
    org_id === null ? one.orgId === null && one.partnerId === partner_id : one.orgId === org_id,
  )
}
