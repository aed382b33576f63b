import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import {
  findOfferAt,
  findUser,
  findUserByEmail,
  heldFactors,
  type Invitation,
  isEnterable,
  reachesBeyond,
  type User,
  usableMemberships,
} from '../../identity/index.ts'
import { domainName } from '../domains/domain-name.ts'
import { isOf, type ProviderOwner } from '../owner.ts'
import { whyNotProvisionable } from '../providers/default-role.ts'
import { ownerOf, type Provider } from '../store.ts'
import type { Assertion } from './assertion.ts'
import { findIdentity, findIdentityOf } from './identities.ts'
import { Refusal } from './refusal.ts'

/**
 * Whose account an identity provider speaks of: the user; null for somebody who is to be given one. The subject decides;
 * an address is only how people meet for the first time.
 * @throws Refusal
 */
export function resolve(
  db: Database,
  provider: Provider,
  assertion: Assertion,
  { isDomainVerificationStrict, now }: { isDomainVerificationStrict: boolean; now: string },
): User | null {
  const identity = findIdentity(db, provider.id, assertion.subject)
  const linked = identity && findUser(db, identity.user_id)
  if (linked) return linked
  const owner = ownerOf(provider)
  if (owner.orgId !== null) assertDomainProved(db, owner.orgId, assertion, isDomainVerificationStrict)
  const user = findUserByEmail(db, assertion.email)
  if (user) {
    assertMayMeet(db, provider, user, assertion, now)
    return user
  }
  if (owner.orgId === null) throw new Refusal('invite_required')
  if (!provider.auto_provision) throw new Refusal('user_not_found')
  const problem = whyNotProvisionable(db, provider)
  if (problem) throw new Refusal(problem.code, problem.reason)
  return null
}

/** What somebody is where the provider belongs, while that is open. */
export const membershipAt = (db: Database, owner: ProviderOwner, userId: string) =>
  usableMemberships(db, userId).find((membership) => isOf(membership, owner))

/** An invitation that signing in here accepts: of an account that belongs nowhere else, and so has no other way to. */
export function offerAt(db: Database, owner: ProviderOwner, user: User, now: string): Invitation | undefined {
  const offer = reachesBeyond(db, owner, user) ? undefined : findOfferAt(db, user.id, owner, now)
  return offer && isEnterable(db, offer.partner_id, offer.org_id) ? offer : undefined
}

export const emailDomain = (email: string): string | null => domainName(email.slice(email.lastIndexOf('@') + 1))

/** An organization that proved domains takes people of these only; nobody else vouches for an address of any other. */
function assertDomainProved(db: Database, orgId: string, { email, emailState }: Assertion, isStrict: boolean): void {
  const domains = provedDomains(db, orgId)
  if (domains.includes(emailDomain(email))) return
  if (emailState === 'absent') throw new Refusal('sso_email_unverified', 'email_verified_absent')
  if (domains.length > 0 || isStrict) throw new Refusal('sso_domain_unverified')
}

const provedDomains = (db: Database, orgId: string): (string | null)[] =>
  db
    .all(
      q
        .selectFrom('sso_verified_domains')
        .select('domain')
        .where('org_id', '=', orgId)
        .where('verified_at', 'is not', null),
    )
    .map(({ domain }) => domain)

/**
 * Whether the provider's word on an address stands for the mailbox: only for domains that its organization has proved.
 * Anyone can run an identity provider that calls any address verified.
 */
export const provesMailbox = (db: Database, { orgId }: ProviderOwner, { email, emailState }: Assertion): boolean =>
  orgId !== null && emailState === 'verified' && provedDomains(db, orgId).includes(emailDomain(email))

/** Whether an account that only the address led to may be connected with the subject. */
function assertMayMeet(db: Database, provider: Provider, user: User, { emailState }: Assertion, now: string): void {
  const owner = ownerOf(provider)
  if (!membershipAt(db, owner, user.id) && !offerAt(db, owner, user, now))
    throw owner.orgId === null ? new Refusal('invite_required', 'not_a_member') : new Refusal('no_org_access')
  // The mailbox has another owner now, or theirs was made anew: neither is for the provider to decide.
  if (findIdentityOf(db, provider.id, user.id)) throw new Refusal('identity_in_use', 'other_subject')
  if (reachesBeyond(db, owner, user) && hasOtherWayIn(db, owner, user))
    throw new Refusal('sso_link_required', 'reaches_beyond_owner')
  // An organization has proved the domain by now; nobody proves one for a company.
  if (owner.orgId === null && emailState === 'absent' && user.password_hash !== null)
    throw new Refusal('sso_link_required', 'email_verified_absent')
}

/** An invitation is one, too: who accepts it proves the address to whoever sent it. Operators are let in at the machine. */
const hasOtherWayIn = (db: Database, owner: ProviderOwner, user: User): boolean =>
  user.is_platform_admin === 1 ||
  user.status === 'invited' ||
  user.password_hash !== null ||
  heldFactors(db, user).passkey ||
  isKnownElsewhere(db, owner, user.id)

const isKnownElsewhere = (db: Database, { orgId, partnerId }: ProviderOwner, userId: string): boolean =>
  db
    .all(
      q
        .selectFrom('user_sso_identities')
        .innerJoin('sso_providers', 'sso_providers.id', 'user_sso_identities.provider_id')
        .select(['org_id', 'partner_id'])
        .where('user_id', '=', userId),
    )
    .some((provider) => provider.org_id !== orgId || provider.partner_id !== partnerId)
