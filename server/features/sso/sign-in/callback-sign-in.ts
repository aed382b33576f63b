import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { errorCode } from '../../../../shared/thrown.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, iso, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Secrets, sha256 } from '../../../platform/secrets.ts'
import {
  aboutPerson,
  acceptInvitation,
  findRole,
  type IpAllowlist,
  type MfaPolicy,
  personActor,
  type TenantMembership,
  type User,
} from '../../access/index.ts'
import { type AuthorizationRequest, aboutProvider, ownerOf, type Provider } from '../provider/store.ts'
import type { AccountProvisioning } from './account-provisioning.ts'
import type { Assertion } from './assertion.ts'
import { currentProvider } from './current-provider.ts'
import { findIdentity, saveIdentity } from './identities.ts'
import { Refusal } from './refusal.ts'
import { membershipAt, openInvitationTo, provesAddress, resolve } from './resolution.ts'

/** The console has to redeem the code within this time. */
export const grantLifeMs = 2 * minute

interface Dependencies {
  db: Database
  clock: Clock
  secrets: Secrets
  audit: Audit
  allowlist: IpAllowlist
  policy: MfaPolicy
  accounts: AccountProvisioning
  /** New users need an address in a domain that their organization has verified. */
  isDomainVerificationStrict: boolean
}

/** Signs in a user whom an identity provider vouches for, with a new account where they have none yet. */
export class CallbackSignIn {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * @returns the one-time code for a session
   * @throws Refusal, and then nothing was changed
   */
  admit(request: AuthorizationRequest, assertion: Assertion, origin: Origin): string {
    try {
      return this.#attempt(request, assertion, origin)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
    }
    // Another process created the same account meanwhile: the second attempt finds it.
    try {
      return this.#attempt(request, assertion, origin)
    } catch (error) {
      throw isUniqueViolation(error) ? new Refusal('user_creation_failed', undefined, { cause: error }) : error
    }
  }

  #attempt(request: AuthorizationRequest, assertion: Assertion, origin: Origin): string {
    const outcome = this.#dependencies.db.transaction(() => {
      try {
        return this.#admit(currentProvider(this.#dependencies.db, request), assertion, origin)
      } catch (error) {
        // Returned instead of thrown: the event about an address that is not allowed must be committed.
        if (error instanceof Refusal) return error
        throw error
      }
    })
    if (outcome instanceof Refusal) throw outcome
    return outcome
  }

  #admit(provider: Provider, assertion: Assertion, origin: Origin): string {
    const { db, clock, isDomainVerificationStrict } = this.#dependencies
    const known = resolve(db, provider, assertion, { isDomainVerificationStrict, now: isoNow(clock) })
    if (known?.status === 'disabled') throw new Refusal('account_inactive')
    this.#assertAddress(provider, known, assertion, origin)
    const { user, membership } = known
      ? { user: known, membership: this.#membershipOf(provider, known, origin) }
      : this.#create(provider, assertion, origin)
    const isVerified = assertion.email === user.email && provesAddress(db, ownerOf(provider), assertion)
    this.#dependencies.accounts.activate(user, membership, isVerified, origin)
    this.#connect(provider, user, membership, assertion, origin)
    return this.#grant(provider, user, membership, this.#isMfaTrusted(provider, user, membership, assertion))
  }

  #assertAddress(provider: Provider, known: User | null, { email }: Assertion, origin: Origin): void {
    const { db, allowlist } = this.#dependencies
    const subject = {
      userId: known?.id ?? null,
      email: known?.email ?? email,
      partnerId: partnerOf(db, provider),
      isPlatformAdmin: known?.is_platform_admin === 1,
    }
    const actor = known ? personActor(known, null, origin) : systemActor('sso-callback', origin)
    try {
      allowlist.assertAllowed(subject, origin, actor)
    } catch (error) {
      const isRefused = error instanceof AppError && error.code !== 'unavailable'
      throw isRefused ? new Refusal('ip_not_allowed', undefined, { cause: error }) : error
    }
  }

  /**
   * The membership of the user in the owner's tenant.
   * @throws Refusal where they have none
   */
  #membershipOf(provider: Provider, user: User, origin: Origin): TenantMembership {
    const { db } = this.#dependencies
    const membership = membershipAt(db, ownerOf(provider), user.id) ?? this.#acceptInvitation(provider, user, origin)
    if (!membership) throw new Refusal(provider.org_id === null ? 'no_partner_access' : 'no_org_access')
    if (findRole(db, membership.role_id)?.scope !== membership.kind) throw new Refusal('invalid_role_scope')
    return membership
  }

  #acceptInvitation(provider: Provider, user: User, origin: Origin): TenantMembership | undefined {
    const { db, clock, audit } = this.#dependencies
    const invitation = openInvitationTo(db, ownerOf(provider), user, isoNow(clock))
    if (!invitation) return undefined
    const membership = acceptInvitation(db, invitation, isoNow(clock))
    audit(personActor(user, membership, origin), { ...aboutPerson(user, membership), action: 'user.invite.accepted' })
    return membership
  }

  #create(provider: Provider, assertion: Assertion, origin: Origin): { user: User; membership: TenantMembership } {
    const { db, audit, accounts } = this.#dependencies
    const { email, name } = assertion
    const isVerified = provesAddress(db, ownerOf(provider), assertion)
    const { org_id: orgId, default_role_id: roleId } = provider
    if (orgId === null || roleId === null) throw new Error('`resolve` lets no such provider create users')
    const user = accounts.create({ email, name, isVerified, orgId, roleId })
    const membership = membershipAt(db, ownerOf(provider), user.id)
    if (!membership) throw new Error('the membership that was created cannot be used')
    audit(personActor(user, membership, origin), {
      action: 'sso.user.provision',
      resourceType: 'user',
      resourceId: user.id,
      resourceName: email,
      orgId,
      details: { providerId: provider.id, roleId, configuredBy: provider.default_role_configured_by },
    })
    return { user, membership }
  }

  #connect(provider: Provider, user: User, membership: TenantMembership, assertion: Assertion, origin: Origin): void {
    const { db, audit } = this.#dependencies
    const isNew = !findIdentity(db, provider.id, assertion.subject)
    saveIdentity(this.#dependencies, provider.id, user.id, assertion, { isSignIn: true })
    if (!isNew) return
    audit(personActor(user, membership, origin), {
      ...aboutProvider(provider),
      action: 'sso.identity.linked',
      details: { userId: user.id, bySignIn: true },
    })
  }

  /** It does not replace an enrollment that is required, and is not trusted where the policy cannot be read. */
  #isMfaTrusted(provider: Provider, user: User, membership: TenantMembership, { sawSecondFactor }: Assertion): boolean {
    if (!provider.trusts_idp_mfa || !sawSecondFactor) return false
    const requirement = this.#dependencies.policy.requirementOf(membership, 'closed')
    return user.mfa_enabled === 1 || !(requirement.bySettings || requirement.byRole)
  }

  #grant(provider: Provider, user: User, membership: TenantMembership, isMfaTrusted: boolean): string {
    const { db, clock } = this.#dependencies
    const code = randomBytes(32).toString('base64url')
    db.run(
      q.insertInto('sso_exchange_grants').values({
        id: randomUUIDv7(),
        code_digest: sha256(code),
        user_id: user.id,
        provider_id: provider.id,
        provider_version: provider.config_version,
        membership_id: membership.id,
        mfa: isMfaTrusted ? 1 : 0,
        auth_epoch: user.auth_epoch,
        mfa_epoch: user.mfa_epoch,
        created_at: isoNow(clock),
        expires_at: iso(clock.now() + grantLifeMs),
      }),
    )
    return code
  }
}

const partnerOf = (db: Database, { org_id, partner_id }: Provider): string | null =>
  partner_id ??
  db.first(q.selectFrom('organizations').select('partner_id').where('id', '=', org_id))?.partner_id ??
  null

const isUniqueViolation = (error: unknown): boolean => errorCode(error) === 'SQLITE_CONSTRAINT_UNIQUE'
