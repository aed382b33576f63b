export { createIdentity } from '../people/create-identity.ts'
export { heldFactors } from './users/held-factors.ts'
export { type Identities, watchedTables } from '../authentication/request-identity/identities.ts'
export { placesOf } from './memberships/details.ts'
export { hashPassword } from '../authentication/passwords/hashing.ts'
export { weaknessOf } from '../authentication/passwords/strength.ts'
export { wordsAbout } from '../authentication/passwords/personal-words.ts'
export { isOperator } from '../people/members/management-rules.ts'
export { forgetSite } from './invitations/forget-site.ts'
export { acceptOffer, findOfferAt, type Invitation } from './invitations/store.ts'
export type { Newcomers } from '../sso/sign-in/provisioning.ts'
export type { IpAllowlist } from './policies/ip-allowlist.ts'
export type { MfaPolicy } from './policies/mfa-policy.ts'
export {
  enforcesSso,
  isPasswordClosed,
  membershipOfSession,
  oldestActiveProvider,
  reachesBeyond,
  ssoEntranceOf,
} from './sso/enforcement.ts'
export { findBuiltInRole, seedRoles } from './roles/built-in.ts'
export { assertWithinOwnReach, firstBeyond } from './roles/powers.ts'
export { identityRoutes } from '../people/routes.ts'
export type { SessionCookies } from '../authentication/sessions/cookies.ts'
export { tokensView } from '../authentication/sessions/token-pairs.ts'
export { isPlatformAdminIn } from './memberships/platform-admin.ts'
export type { Sessions } from '../authentication/sessions/sessions.ts'
export { endSessionsOf } from '../authentication/sessions/tenant-sessions.ts'
export type { Bootstrap } from '../authentication/setup/bootstrap.ts'
export { aboutPerson, personOf } from './memberships/person.ts'
export { notBefore, type SignIn } from '../authentication/sign-in/sign-in.ts'
export {
  findGrants,
  findMembership,
  findRole,
  findSession,
  findUser,
  findUserByEmail,
  isEnterable,
  membershipIdOf,
  promotePlatformAdmins,
  type TenantMembership,
  type User,
  usableMemberships,
} from './users/store.ts'
