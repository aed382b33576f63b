export { createIdentity } from './create-identity.ts'
export { type Identities, watchedTables } from './identities.ts'
export { hashPassword } from './passwords/passwords.ts'
export { weaknessOf } from './passwords/strength.ts'
export { wordsAbout } from './passwords/words-about.ts'
export type { IpAllowlist } from './policy/ip-allowlist.ts'
export { findBuiltInRole, seedRoles } from './roles/built-in.ts'
export { assertWithinOwnReach } from './roles/powers.ts'
export { identityRoutes } from './routes.ts'
export type { Sessions } from './sessions/sessions.ts'
export { endSessionsOf } from './sessions/tenant-sessions.ts'
export type { Bootstrap } from './setup/bootstrap.ts'
export {
  findGrants,
  findMembership,
  findUser,
  membershipIdOf,
  promotePlatformAdmins,
  type TenantMembership,
  type User,
  usableMemberships,
} from './store.ts'
