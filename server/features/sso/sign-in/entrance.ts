import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import { type Origin, systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import { type Clock, iso, isoNow, minute } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Secrets, sha256 } from '../../../platform/secrets.ts'
import {
  aboutPerson,
  acceptOffer,
  findRole,
  type IpAllowlist,
  type MfaPolicy,
  type Newcomers,
  personOf,
  type TenantMembership,
  type User,
} from '../../access/index.ts'
import { aboutProvider, type Journey, ownerOf, type Provider } from '../store.ts'
import type { Assertion } from './assertion.ts'
import { findIdentity, saveIdentity } from './identities.ts'
import { liveProvider } from './live.ts'
import { Refusal } from './refusal.ts'
import { membershipAt, offerAt, provesMailbox, resolve } from './resolution.ts'

/** Within it the console that the browser comes back to has to redeem the code. */
export const grantLifeMs = 2 * minute

interface Parts {
  db: Database
  clock: Clock
  secrets: Secrets
  audit: Audit
  allowlist: IpAllowlist
  policy: MfaPolicy
  newcomers: Newcomers
  /** Nobody new comes by an address of a domain that their organization has not proved. */
  isDomainVerificationStrict: boolean
}

/** Lets in whom an identity provider vouches for, with an account of their own where they have none yet. */
export class Entrance {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The one-time code for a session; throws a `Refusal`, and then nobody has changed. */
  enter(journey: Journey, assertion: Assertion, origin: Origin): string {
    try {
      return this.#attempt(journey, assertion, origin)
    } catch (error) {
      if (!isClash(error)) throw error
    }
    // Another process made the same account meanwhile: whoever looks again finds it.
    try {
      return this.#attempt(journey, assertion, origin)
    } catch (error) {
      throw isClash(error) ? new Refusal('user_creation_failed', undefined, { cause: error }) : error
    }
  }

  #attempt(journey: Journey, assertion: Assertion, origin: Origin): string {
    const outcome = this.#parts.db.transaction(() => {
      try {
        return this.#admit(liveProvider(this.#parts.db, journey), assertion, origin)
      } catch (error) {
        // Nothing is written before it, but that somebody came from an address that is not allowed: this stays.
        if (error instanceof Refusal) return error
        throw error
      }
    })
    if (outcome instanceof Refusal) throw outcome
    return outcome
  }

  #admit(provider: Provider, assertion: Assertion, origin: Origin): string {
    const { db, clock, isDomainVerificationStrict } = this.#parts
    const known = resolve(db, provider, assertion, { isDomainVerificationStrict, now: isoNow(clock) })
    if (known?.status === 'disabled') throw new Refusal('account_inactive')
    this.#assertAddress(provider, known, assertion, origin)
    const { user, membership } = known
      ? { user: known, membership: this.#membershipOf(provider, known, origin) }
      : this.#create(provider, assertion, origin)
    const isVerified = assertion.email === user.email && provesMailbox(db, ownerOf(provider), assertion)
    this.#parts.newcomers.admit(user, membership, isVerified, origin)
    this.#connect(provider, user, membership, assertion, origin)
    return this.#grant(provider, user, membership, this.#isMfaTrusted(provider, user, membership, assertion))
  }

  #assertAddress(provider: Provider, known: User | null, { email }: Assertion, origin: Origin): void {
    const { db, allowlist } = this.#parts
    const bound = {
      userId: known?.id ?? null,
      email: known?.email ?? email,
      partnerId: partnerOf(db, provider),
      isPlatformAdmin: known?.is_platform_admin === 1,
    }
    const actor = known ? personOf(known, null, origin) : systemActor('sso-callback', origin)
    try {
      allowlist.assertAllowed(bound, origin, actor)
    } catch (error) {
      const isRefused = error instanceof AppError && error.code !== 'unavailable'
      throw isRefused ? new Refusal('ip_not_allowed', undefined, { cause: error }) : error
    }
  }

  /** What the user is where the provider belongs; throws a `Refusal` for nothing. */
  #membershipOf(provider: Provider, user: User, origin: Origin): TenantMembership {
    const { db } = this.#parts
    const membership = membershipAt(db, ownerOf(provider), user.id) ?? this.#acceptOffer(provider, user, origin)
    if (!membership) throw new Refusal(provider.org_id === null ? 'no_partner_access' : 'no_org_access')
    if (findRole(db, membership.role_id)?.scope !== membership.kind) throw new Refusal('invalid_role_scope')
    return membership
  }

  #acceptOffer(provider: Provider, user: User, origin: Origin): TenantMembership | undefined {
    const { db, clock, audit } = this.#parts
    const invitation = offerAt(db, ownerOf(provider), user, isoNow(clock))
    if (!invitation) return undefined
    const membership = acceptOffer(db, invitation, isoNow(clock))
    audit(personOf(user, membership, origin), { ...aboutPerson(user, membership), action: 'user.invite.accepted' })
    return membership
  }

  #create(provider: Provider, assertion: Assertion, origin: Origin): { user: User; membership: TenantMembership } {
    const { db, audit, newcomers } = this.#parts
    const { email, name } = assertion
    const isVerified = provesMailbox(db, ownerOf(provider), assertion)
    // `resolve` has seen to it that both are there.
    const [orgId, roleId] = [provider.org_id as string, provider.default_role_id as string]
    const user = newcomers.create({ email, name, isVerified, orgId, roleId })
    const membership = membershipAt(db, ownerOf(provider), user.id)
    if (!membership) throw new Error('whoever was made a member is none')
    audit(personOf(user, membership, origin), {
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
    const { db, audit } = this.#parts
    const isNew = !findIdentity(db, provider.id, assertion.subject)
    saveIdentity(this.#parts, provider.id, user.id, assertion, { isSignIn: true })
    if (!isNew) return
    audit(personOf(user, membership, origin), {
      ...aboutProvider(provider),
      action: 'sso.identity.linked',
      details: { userId: user.id, bySignIn: true },
    })
  }

  /** Its word is no way around an enrolment that is asked for; nor does it count where the policy can not be read. */
  #isMfaTrusted(provider: Provider, user: User, membership: TenantMembership, { sawSecondFactor }: Assertion): boolean {
    if (!provider.trusts_idp_mfa || !sawSecondFactor) return false
    const demand = this.#parts.policy.demandOn(membership, 'closed')
    return user.mfa_enabled === 1 || !(demand.bySettings || demand.byRole)
  }

  #grant(provider: Provider, user: User, membership: TenantMembership, isMfaTrusted: boolean): string {
    const { db, clock } = this.#parts
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

const isClash = (error: unknown): boolean => (error as { code?: unknown }).code === 'SQLITE_CONSTRAINT_UNIQUE'
