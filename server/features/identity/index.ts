export { createIdentity } from './create-identity.ts'
export { heldFactors } from './factors/held.ts'
export { type Identities, watchedTables } from './identities.ts'
export { placesOf } from './memberships/places.ts'
export { hashPassword } from './passwords/passwords.ts'
export { weaknessOf } from './passwords/strength.ts'
export { wordsAbout } from './passwords/words-about.ts'
export { isOperator } from './people/elsewhere.ts'
export { forgetSite } from './people/forget-site.ts'
export { acceptOffer, findOfferAt, type Invitation } from './people/invitation-store.ts'
export type { Newcomers } from './people/newcomers.ts'
export type { IpAllowlist } from './policy/ip-allowlist.ts'
export type { MfaPolicy } from './policy/mfa-policy.ts'
export {
  enforcesSso,
  isPasswordClosed,
  membershipOfSession,
  oldestActiveProvider,
  reachesBeyond,
  ssoEntranceOf,
} from './policy/sso-enforcement.ts'
export { findBuiltInRole, seedRoles } from './roles/built-in.ts'
export { assertWithinOwnReach, firstBeyond } from './roles/powers.ts'
export { identityRoutes } from './routes.ts'
export type { SessionCookies } from './sessions/cookies.ts'
export { tokensView } from './sessions/pairs.ts'
export { isPlatformAdminIn } from './sessions/platform-admin.ts'
export type { Sessions } from './sessions/sessions.ts'
export { endSessionsOf } from './sessions/tenant-sessions.ts'
export type { Bootstrap } from './setup/bootstrap.ts'
export { aboutPerson, personOf } from './sign-in/person.ts'
export { notBefore, type SignIn } from './sign-in/sign-in.ts'
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
} from './store.ts'
