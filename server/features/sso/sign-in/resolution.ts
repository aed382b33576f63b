import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import {
  findInvitationTo,
  findUser,
  findUserByEmail,
  heldFactors,
  type Invitation,
  isEnterable,
  reachesBeyondOwner,
  type User,
  usableMemberships,
} from '../../access/index.ts'
import { domainName } from '../domains/domain-name.ts'
import { isOf, type ProviderOwner } from '../provider/owner.ts'
import { ownerOf, type Provider } from '../provider/store.ts'
import { whyNotProvisionable } from '../providers/default-role.ts'
import type { Assertion } from './assertion.ts'
import { findIdentity, findIdentityOf } from './identities.ts'
import { Refusal } from './refusal.ts'

/**
 * Finds the user an assertion is about. The subject decides; the address is only used for the first sign-in.
 * @returns null where an account is to be created
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
  if (owner.orgId !== null) assertDomainVerified(db, owner.orgId, assertion, isDomainVerificationStrict)
  const user = findUserByEmail(db, assertion.email)
  if (user) {
    assertMayConnect(db, provider, user, assertion, now)
    return user
  }
  if (owner.orgId === null) throw new Refusal('invite_required')
  if (!provider.auto_provision) throw new Refusal('user_not_found')
  const problem = whyNotProvisionable(db, provider)
  if (problem) throw new Refusal(problem.code, problem.reason)
  return null
}

/** The membership of a user in the owner's tenant, while that is open. */
export const membershipAt = (db: Database, owner: ProviderOwner, userId: string) =>
  usableMemberships(db, userId).find((membership) => isOf(membership, owner))

/** An invitation that this sign-in accepts: of an account without other memberships, which cannot accept it otherwise. */
export function openInvitationTo(db: Database, owner: ProviderOwner, user: User, now: string): Invitation | undefined {
  const invitation = reachesBeyondOwner(db, owner, user) ? undefined : findInvitationTo(db, user.id, owner, now)
  return invitation && isEnterable(db, invitation.partner_id, invitation.org_id) ? invitation : undefined
}

export const emailDomain = (email: string): string | null => domainName(email.slice(email.lastIndexOf('@') + 1))

/** An organization with verified domains admits new users of these only. */
function assertDomainVerified(db: Database, orgId: string, { email, emailState }: Assertion, isStrict: boolean): void {
  const domains = verifiedDomains(db, orgId)
  if (domains.includes(emailDomain(email))) return
  if (emailState === 'absent') throw new Refusal('sso_email_unverified', 'email_verified_absent')
  if (domains.length > 0 || isStrict) throw new Refusal('sso_domain_unverified')
}

const verifiedDomains = (db: Database, orgId: string): (string | null)[] =>
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
 * Whether an assertion proves that the user owns the address: only in domains that the organization has verified. Anybody
 * can run an identity provider that calls any address verified.
 */
export const provesAddress = (db: Database, { orgId }: ProviderOwner, { email, emailState }: Assertion): boolean =>
  orgId !== null && emailState === 'verified' && verifiedDomains(db, orgId).includes(emailDomain(email))

/**
 * Checks that an account found by its address may be connected with the subject.
 * @throws Refusal
 */
function assertMayConnect(db: Database, provider: Provider, user: User, { emailState }: Assertion, now: string): void {
  const owner = ownerOf(provider)
  if (!membershipAt(db, owner, user.id) && !openInvitationTo(db, owner, user, now))
    throw owner.orgId === null ? new Refusal('invite_required', 'not_a_member') : new Refusal('no_org_access')
  // The account is connected with another subject: the address may have passed to another person.
  if (findIdentityOf(db, provider.id, user.id)) throw new Refusal('identity_in_use', 'other_subject')
  if (reachesBeyondOwner(db, owner, user) && hasOtherWayIn(db, owner, user))
    throw new Refusal('sso_link_required', 'reaches_beyond_owner')
  // Organizations verify domains, which was checked above; partners cannot.
  if (owner.orgId === null && emailState === 'absent' && user.password_hash !== null)
    throw new Refusal('sso_link_required', 'email_verified_absent')
}

/**
 * Whether the user could sign in without this provider. An invited account counts, because accepting the invitation proves
 * the address to the tenant that sent it. So does a platform admin, who is given access at the machine.
 */
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
