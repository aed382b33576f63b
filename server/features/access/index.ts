export { type Access, createAccess } from './create-access.ts'
export { acceptInvitation, turnMembershipsIntoInvitations } from './invitations/acceptance.ts'
export { invitationDetails } from './invitations/details.ts'
export { deleteExpiredInvitations } from './invitations/expired.ts'
export { removeSiteFromMemberships } from './invitations/site-removal.ts'
export {
  deleteInvitation,
  findInvitationTo,
  findOpenInvitation,
  type Invitation,
  insertInvitation,
  invitationLifeSeconds,
  isInvited,
  offeredMembership,
  openInvitationsOf,
  updateInvitation,
} from './invitations/store.ts'
export { assertWithinOwnReach, type Confined, isWithinOwnReach, parseIdList } from './memberships/confinement.ts'
export { type MembershipDetails, membershipDetailsOf } from './memberships/details.ts'
export {
  type Membership,
  membershipIdOf,
  orgIdOf,
  partnerIdOf,
  type TenantMembership,
} from './memberships/membership.ts'
export { aboutPerson, personActor } from './memberships/person.ts'
export { isOperator, isPlatformAdminIn } from './memberships/platform-admin.ts'
export {
  deselectOrganization,
  replaceSelectedOrganization,
  selectOrganization,
} from './memberships/selected-organizations.ts'
export {
  deleteMembership,
  findExistingMembership,
  insertOrganizationMembership,
  insertPartnerMembership,
  saveMembership,
} from './memberships/store.ts'
export { findHomePartner, findMembership, isEnterable, usableMemberships } from './memberships/usable.ts'
export { allowlistSubject, type IpAllowlist } from './policies/ip-allowlist.ts'
export type { MfaPolicy, MfaRequirement } from './policies/mfa-policy.ts'
export { MembershipIdentities } from './reach/membership-identity.ts'
export { createOwnAdminRole, findBuiltInRole, seedRoles } from './roles/built-in.ts'
export {
  assertAssignable,
  assertGrantable,
  assertHolds,
  assignableBy,
  firstGrantBeyond,
  holds,
  isEverything,
} from './roles/grant-rules.ts'
export { chainOf, levelsBelow, maxLevels, rolesGranting, sourcedGrants, withDescendants } from './roles/inheritance.ts'
export {
  deleteRole,
  findGrants,
  findRole,
  insertRole,
  ownGrants,
  type Role,
  updateRole,
  writeGrants,
} from './roles/store.ts'
export { reachesBeyondOwner, reachesBeyondProvider } from './sso/provider-scope.ts'
export {
  acceptsPassword,
  findPasswordMembership,
  isPasswordClosed,
  maySwitchTo,
  membershipOfSession,
} from './sso/sso-enforcement.ts'
export {
  enforcesSso,
  oldestActiveProvider,
  type SsoOwner,
  ssoLoginOf,
  ssoLoginUrlOf,
  ssoOwnerOf,
} from './sso/sso-providers.ts'
export { codeFactorOf, heldCodeFactors, heldFactors, passkeyHostsOf, recoveryCodeHashes } from './users/held-factors.ts'
export { activePlatformAdmins, isLastPlatformAdmin, promotePlatformAdmins } from './users/platform-admins.ts'
export { anyUserExists, findUser, findUserByEmail, getUser, insertUser, type User, updateUser } from './users/store.ts'
